/// The kind of a response, by the names that servers give to media types.
package enum StreamContent: Hashable, Sendable {
    /// Sound, or something unnamed that may be sound.
    case sound
    /// A list of names to play: `m3u`, `pls` or `xspf`.
    case playlist(String)
    /// Sound in a format that cannot be played; its name.
    case unsupported(String)
    /// Something that is not sound; its name with an article.
    case other(String)

    /// Classifies a media type in lower case, without parameters; nil and types that say nothing
    /// count as sound, since servers often send those.
    package init(mediaType type: String?) {
        switch type {
        case "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "audio/m3u":
            self = .playlist("m3u")
        case "audio/x-scpls", "application/pls+xml", "application/x-scpls": self = .playlist("pls")
        case "application/xspf+xml": self = .playlist("xspf")
        case "application/vnd.apple.mpegurl": self = .other("an HLS playlist")
        case "application/dash+xml": self = .other("a DASH manifest")
        case "audio/aac", "audio/aacp", "audio/x-aac": self = .unsupported("AAC")
        case "audio/mp4", "audio/x-m4a", "audio/m4a", "video/mp4": self = .unsupported("MP4")
        case "application/json": self = .other("a JSON text")
        case "application/pdf": self = .other("a PDF document")
        case let type? where type.hasPrefix("text/html") || type == "application/xhtml+xml":
            self = .other("a web page")
        case let type? where type.hasPrefix("text/"): self = .other("text")
        case let type? where type.hasPrefix("image/"): self = .other("an image")
        default: self = .sound
        }
    }

    /// The reason it cannot be played; nil for sound.
    package var refusal: StreamFailure? {
        switch self {
        case .sound: nil
        case .playlist(let format): StreamFailure(.playlist, format)
        case .unsupported(let name):
            StreamFailure(.unsupportedFormat, "It is \(name), which is not supported")
        case .other(let name):
            StreamFailure(.notSound, "The server sends \(name) instead of sound")
        }
    }
}
