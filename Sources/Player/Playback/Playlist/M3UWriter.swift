import UndersongBase

/// Writes an M3U8 playlist, which most players can read. Titles and lengths are in `#EXTINF`, times
/// in `#EXTVLCOPT`; comments of our own follow where these are not exact.
package struct M3UWriter: PlaylistWriter {
    /// Creates a writer.
    package init() {}

    package var head: String { "#EXTM3U\n" }
    package var tail: String { "" }

    package func write(_ entry: QueueEntry, duration: CMTime?, to bytes: inout [UInt8]) {
        writeTitle(entry.title, duration, to: &bytes)
        if PlaylistTime.isReported(entry.start) {
            write(entry.start, "start-time", M3ULines.Own.start, to: &bytes)
        }
        if let end = entry.end, PlaylistTime.isReported(end) {
            write(end, "stop-time", M3ULines.Own.end, to: &bytes)
        }
        let path = entry.source.path
        if let text = path.string, Self.standsAsItIs(text) {
            bytes += text.utf8
        } else {
            bytes += path.fileURL.utf8
        }
        bytes.append(lineFeed)
    }

    private func writeTitle(_ title: String?, _ duration: CMTime?, to bytes: inout [UInt8]) {
        guard title != nil || duration != nil else { return }
        let seconds = duration.flatMap { $0.isRational ? $0.seconds.rounded() : nil } ?? -1
        let length = Int(exactly: seconds) ?? -1
        bytes += "#EXTINF:\(length),\(title.map(PlaylistTitle.plain) ?? "")\n".utf8
        guard let title, !PlaylistTitle.isPlain(title) else { return }
        bytes += "\(M3ULines.Own.title)".utf8
        PercentCoding.encode(title.utf8, into: &bytes)
        bytes.append(lineFeed)
    }

    private func write(
        _ time: CMTime, _ option: String, _ own: StaticString, to bytes: inout [UInt8]
    ) {
        let text = PlaylistTime.decimal(time)
        bytes += "#EXTVLCOPT:\(option)=\(text)\n".utf8
        guard PlaylistTime.time(text) != time else { return }
        bytes += "\(own)\(PlaylistTime.exact(time))\n".utf8
    }

    /// True if `path`, written as a line, is read back unchanged.
    private static func standsAsItIs(_ path: String) -> Bool {
        guard let last = path.utf8.last, last != 0x20, last != 0x09 else { return false }
        return !path.utf8.contains { $0 == 0x0A || $0 == 0x0D }
    }
}

private let lineFeed = UInt8(ascii: "\n")
