import AudioIO
import Playback

/// What files' names tell of them.
enum FileName {
    /// The extensions of files that can be played.
    static let mediaExtensions = DecoderRegistry.standard.fileExtensions

    /// Whether `path` is called as files are that can be played.
    static func isMedia(_ path: FilePath) -> Bool { isMedia(path.description.utf8.span) }

    /// Whether a file of this name, or with a name that ends so, can be played.
    static func isMedia(_ name: Span<UInt8>) -> Bool {
        mediaExtensions.contains { has($0, name) }
    }

    /// What else sounds: the kind of a file of this name that cannot be played; nil where it is not
    /// called as sound files are.
    static func otherKind(_ name: Span<UInt8>) -> String? {
        otherKinds.first { has($0.fileExtension, name) }?.kind
    }

    private static let otherKinds: [(fileExtension: String, kind: String)] = [
        ("m4a", "MP4"), ("m4b", "MP4"), ("aac", "AAC"), ("wma", "WMA"), ("ape", "Monkey's Audio"),
        ("wv", "WavPack"), ("mpc", "Musepack"),
        ("dsf", "DSD"), ("dff", "DSD"), ("mka", "Matroska"), ("spx", "Speex"), ("au", "AU"),
        ("caf", "CAF"),
    ]

    private static func has(_ fileExtension: String, _ name: Span<UInt8>) -> Bool {
        let start = name.count - fileExtension.utf8.count
        guard start > 0, name[start - 1] == UInt8(ascii: ".") else { return false }
        // Capital letters differ by one bit, which digits have too.
        return zip(start..<name.count, fileExtension.utf8).allSatisfy { name[$0] | 0x20 == $1 }
    }

    /// `path` with another extension.
    static func replacingExtension(of path: FilePath, by other: String) -> FilePath {
        let bytes = path.bytes
        let name = bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1
        let point = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > name ? $0 : nil }
        return FilePath(bytes: bytes[..<(point ?? bytes.endIndex)] + Array(".\(other)".utf8))
    }
}
