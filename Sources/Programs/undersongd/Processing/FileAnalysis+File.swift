import UndersongAudioIO
package import UndersongBase
package import UndersongPlayback

extension FileAnalysis {
    /// Decodes all of the file at `path` once, as the player does; the file stays as it is. Blocks
    /// until that is done, and calls `onProgress` many times a second meanwhile. Errors: the file
    /// cannot be played.
    package init(
        of path: FilePath, clock: any HostClock, onProgress: () -> Void = {}
    ) throws(MediaError) {
        var meter = LoudnessMeter()
        let inspection = try MediaInspection(.file(path: path), clock: clock) { samples, format in
            meter.add(samples, format)
            onProgress()
        }
        guard inspection.frameCount > 0 else {
            throw MediaError(
                .noFrames, operation: "analyze \(path)", reason: "It contains no sound")
        }
        self.init(
            loudness: meter.loudness, seconds: inspection.duration.seconds,
            album: Self.album(inspection.description.tags["album"], path),
            damage: inspection.damage.map(\.description))
    }

    /// Files of one album have the same tag and are in the same folder.
    private static func album(_ tag: String?, _ path: FilePath) -> String? {
        guard let tag, !tag.isEmpty else { return nil }
        let bytes = path.bytes
        let folder = bytes[..<(bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)]
        return String(decoding: folder, as: UTF8.self) + "/\n" + tag
    }
}
