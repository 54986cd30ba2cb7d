import Control

/// Writes a queue as an M3U playlist, which `undersong play` reads back.
enum Playlist {
    /// The playlist's text. A stream from a descriptor cannot be read again and is left out, as is a
    /// path that a playlist cannot hold, one with a line break in it.
    static func text(_ items: [QueueEntry]) -> String {
        let kept = items.filter { canHold($0.path) }
        let lines = kept.flatMap { [information($0), $0.path] }
        return (["#EXTM3U"] + lines).joined(separator: "\n") + "\n"
    }

    /// Whether a playlist can hold `path`.
    static func canHold(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.unicodeScalars.contains { $0 == "\n" || $0 == "\r" }
            && path.last != " " && path.last != "\t"
    }

    private static func information(_ item: QueueEntry) -> String {
        let seconds = item.duration.map { Int($0.seconds.rounded()) } ?? -1
        let title = item.title.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return "#EXTINF:\(seconds),\(String(String.UnicodeScalarView(title)))"
    }
}
