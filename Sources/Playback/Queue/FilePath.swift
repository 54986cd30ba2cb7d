/// The path of a file: any bytes but zero, as Linux has them. They need not be UTF-8.
///
/// ```swift
/// let path = FilePath(bytes: Array("latin\u{E9}.mp3".unicodeScalars.map { UInt8($0.value) }))
/// path.string       // nil
/// path.description  // latin\xe9.mp3
/// ```
public struct FilePath: Hashable, Sendable {
    /// The path where it is UTF-8, else the same with each other byte escaped as `\xe9`.
    private let text: String
    /// The bytes of a path that is not UTF-8.
    private let raw: [UInt8]?

    /// What stands for the standard input or output where a path is expected.
    package static let standardStream: FilePath = "-"

    /// Makes a path of a text.
    public init(_ text: String) { (self.text, raw) = (text, nil) }

    /// Makes a path of bytes, none of which is zero.
    public init(bytes: [UInt8]) {
        if let valid = try? UTF8Span(validating: bytes.span) {
            (text, raw) = (String(copying: valid), nil)
        } else {
            (text, raw) = (Self.escaped(bytes.span), bytes)
        }
    }

    /// The path as a text; nil where it is not UTF-8.
    public var string: String? { raw == nil ? text : nil }

    /// The path as the file system has it.
    public var bytes: [UInt8] { raw ?? Array(text.utf8) }

    /// The last component, as people read it.
    public var lastComponent: String { text.split(separator: "/").last.map(String.init) ?? text }

    /// What stands after the last point, in lower-case letters; empty where there is none, or one
    /// longer than those that matter.
    package var fileExtension: String {
        let name = bytes.suffix(6)
        guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        return String(decoding: name[(point + 1)...], as: UTF8.self).lowercased()
    }

    /// Whether it begins at the root.
    public var isAbsolute: Bool { text.utf8.first == UInt8(ascii: "/") }

    /// Calls `body` with the path as C functions take it.
    public func withPlatformString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard let raw else { return unsafe body(text) }
        return unsafe body(raw.map { CChar(bitPattern: $0) } + [0])
    }

    /// The bytes as a text: each one that belongs to no character of UTF-8 as `\x` and two digits.
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

// Names that look alike, as of composed and decomposed letters, are different files.
extension FilePath {
    /// Whether both have the same bytes.
    public static func == (left: FilePath, right: FilePath) -> Bool {
        left.raw == right.raw && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Adds the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension FilePath: CustomStringConvertible {
    /// The path as people read it: bytes that are not UTF-8 as `\xe9`.
    public var description: String { text }
}

extension FilePath: ExpressibleByStringInterpolation {
    /// Makes a path of a text.
    public init(stringLiteral text: String) { self.init(text) }
}
