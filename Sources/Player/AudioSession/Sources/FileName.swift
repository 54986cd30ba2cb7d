import UndersongAudioIO
import UndersongBase
import UndersongPlayback

/// Recognizes files by their names.
enum FileName {
    /// The extensions of playable files.
    static let mediaExtensions = DecoderRegistry.standard.fileExtensions

    /// True if the name of `path` is that of a playable file.
    static func isMedia(_ path: FilePath) -> Bool { isMedia(path.description.utf8.span) }

    /// True if a name, or the end of one, is that of a playable file.
    static func isMedia(_ name: Span<UInt8>) -> Bool {
        mediaExtensions.contains { has($0, name) }
    }

    /// The kind of an audio file that cannot be played; nil if the name is not that of an audio
    /// file.
    static func otherKind(_ name: Span<UInt8>) -> String? {
        otherKinds.first { has($0.fileExtension, name) }?.kind
    }

    private static let otherKinds: [(fileExtension: String, kind: String)] = [
        ("m4a", "MP4"), ("m4b", "MP4"), ("aac", "AAC"), ("wma", "WMA"), ("ape", "Monkey's Audio"),
        ("wv", "WavPack"), ("mpc", "Musepack"),
        ("dsf", "DSD"), ("dff", "DSD"), ("mka", "Matroska"), ("spx", "Speex"),
    ]

    private static func has(_ fileExtension: String, _ name: Span<UInt8>) -> Bool {
        let start = name.count - fileExtension.utf8.count
        guard start > 0, name[start - 1] == UInt8(ascii: ".") else { return false }
        // Upper-case letters differ in a single bit, which is set in digits.
        return zip(start..<name.count, fileExtension.utf8).allSatisfy { name[$0] | 0x20 == $1 }
    }

    /// `path` with its extension replaced.
    static func replacingExtension(of path: FilePath, by other: String) -> FilePath {
        let bytes = path.bytes
        let name = bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1
        let point = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > name ? $0 : nil }
        return FilePath(bytes: bytes[..<(point ?? bytes.endIndex)] + Array(".\(other)".utf8))
    }
}
