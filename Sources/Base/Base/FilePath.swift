/// The path of a file: any bytes except zero, as on Linux, not necessarily UTF-8.
///
/// ```swift
/// let path = FilePath(bytes: Array("latin\u{E9}.mp3".unicodeScalars.map { UInt8($0.value) }))
/// path.string       // nil
/// path.description  // latin\xe9.mp3
/// ```
public struct FilePath: Hashable, Sendable {
    /// The path if it is UTF-8; otherwise the same with every other byte escaped as `\xe9`.
    private let text: String
    /// The bytes of a path that is not UTF-8.
    private let raw: [UInt8]?

    /// The path that stands for the standard input or output.
    package static let standardStream: FilePath = "-"

    /// Creates a path from a string.
    public init(_ text: String) { (self.text, raw) = (text, nil) }

    /// Creates a path from bytes, none of which may be zero.
    public init(bytes: [UInt8]) {
        if let valid = try? UTF8Span(validating: bytes.span) {
            (text, raw) = (String(copying: valid), nil)
        } else {
            (text, raw) = (Self.escaped(bytes.span), bytes)
        }
    }

    /// The path as a string; nil if it is not UTF-8.
    public var string: String? { raw == nil ? text : nil }

    /// The bytes of the path, as the file system stores them.
    public var bytes: [UInt8] { raw ?? Array(text.utf8) }

    /// The last component, for display.
    public var lastComponent: String { text.split(separator: "/").last.map(String.init) ?? text }

    /// The extension in lower case; empty if there is none, or if it is longer than any supported
    /// one.
    package var fileExtension: String {
        let name = bytes.suffix(6)
        guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        return String(decoding: name[(point + 1)...], as: UTF8.self).lowercased()
    }

    /// True if it is the path of `folder`, or of something below it. Only the names are compared.
    package func isWithin(_ folder: FilePath) -> Bool {
        let (inner, outer) = (bytes, folder.bytes)
        guard inner.starts(with: outer) else { return false }
        let rest = inner.dropFirst(outer.count)
        return rest.isEmpty || rest.first == slash || outer.last == slash
    }

    /// The path of something in this folder.
    package func appending(_ name: [UInt8]) -> FilePath {
        let bytes = bytes
        return FilePath(bytes: bytes.last == slash ? bytes + name : bytes + [slash] + name)
    }

    /// The path of the folder that it is in; the root folder for itself.
    package var parent: FilePath {
        let bytes = bytes
        guard let end = bytes.lastIndex(of: slash) else { return "." }
        return end == 0 ? "/" : FilePath(bytes: Array(bytes[..<end]))
    }

    /// True if the path is absolute.
    public var isAbsolute: Bool { text.utf8.first == slash }

    /// Calls `body` with the path as a C string.
    public func withPlatformString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard let raw else { return unsafe body(text) }
        return unsafe body(raw.map { CChar(bitPattern: $0) } + [0])
    }

    /// The bytes as a string, with every byte that is not part of a UTF-8 character as `\x` and two
    /// hex digits.
    private static func escaped(_ bytes: Span<UInt8>) -> String {
        var text = ""
        var start = 0
        while start < bytes.count {
            do throws(UTF8.ValidationError) {
                text += String(copying: try UTF8Span(validating: bytes.extracting(start...)))
                break
            } catch {
                let wrong = start + error.byteOffsets.lowerBound
                if let valid = try? UTF8Span(validating: bytes.extracting(start..<wrong)) {
                    text += String(copying: valid)
                }
                text += "\\x" + String(bytes[wrong], radix: 16)
                start = wrong + 1
            }
        }
        return text
    }
}

// Names that only look alike, as with composed and decomposed letters, are different files.
extension FilePath {
    /// Compares the bytes of both paths.
    public static func == (left: FilePath, right: FilePath) -> Bool {
        left.raw == right.raw && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension FilePath: CustomStringConvertible {
    /// The path for display, with bytes that are not UTF-8 as `\xe9`.
    public var description: String { text }
}

extension FilePath: ExpressibleByStringInterpolation {
    /// Creates a path from a string literal.
    public init(stringLiteral text: String) { self.init(text) }
}
/// A string, or an object with the text and the bytes as Base64 of a path that is not UTF-8.
extension FilePath: Codable {
    private enum CodingKeys: String, CodingKey { case text, bytes }

    /// Decodes a path. Throws if it contains a zero byte.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: CodingKeys.self) {
            self.init(bytes: try members.decode(Base64.self, forKey: .bytes).bytes)
        } else {
            self.init(try decoder.singleValueContainer().decode(String.self))
        }
        guard !bytes.contains(0) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "A path cannot contain a zero byte."))
        }
    }

    /// Encodes the path.
    public func encode(to encoder: any Encoder) throws {
        guard let raw else {
            var value = encoder.singleValueContainer()
            return try value.encode(text)
        }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(text, forKey: .text)
        try members.encode(Base64(raw), forKey: .bytes)
    }
}

private let slash = UInt8(ascii: "/")
