/// Separates the sound of an Icecast or SHOUTcast stream from the texts within it: after each
/// `interval` bytes of sound come a byte, and 16 times as many bytes of text.
package struct ICYDemultiplexer: Sendable {
    /// A piece of the stream.
    package enum Piece: Equatable, Sendable {
        /// Bytes of sound: a range of the input.
        case sound(Range<Int>)
        /// The title from here on; empty if there is none.
        case title(String)
    }

    private enum Part: Hashable {
        case sound(left: Int)
        case length
        case text(left: Int)
    }

    private let interval: Int
    private var part: Part
    private var text: [UInt8] = []

    /// Nil unless `interval`, the value of `icy-metaint`, is above 0.
    package init?(interval: Int) {
        guard interval > 0 else { return nil }
        self.interval = interval
        part = .sound(left: interval)
    }

    /// Returns the pieces of the next bytes of the body.
    package mutating func pieces(of bytes: UnsafeRawBufferPointer) -> [Piece] {
        var pieces: [Piece] = []
        var index = 0
        while index < bytes.count {
            switch part {
            case .sound(let left):
                let count = min(left, bytes.count - index)
                pieces.append(.sound(index..<index + count))
                index += count
                part = count == left ? .length : .sound(left: left - count)
            case .length:
                let length = unsafe Int(bytes[index]) * 16
                index += 1
                text = []
                part = length == 0 ? .sound(left: interval) : .text(left: length)
            case .text(let left):
                let count = min(left, bytes.count - index)
                unsafe text.append(contentsOf: bytes[index..<index + count])
                index += count
                part = .text(left: left - count)
                guard count == left else { break }
                part = .sound(left: interval)
                if let title = Self.title(in: text) { pieces.append(.title(title)) }
            }
        }
        return pieces
    }

    /// The value of `StreamTitle='…';`, in which quotes are not escaped; nil without that field.
    static func title(in text: [UInt8]) -> String? {
        let text = text.prefix { $0 != 0 }
        let name = Array("StreamTitle='".utf8)
        guard
            let start = text.indices.first(where: { text[$0...].starts(with: name) })
        else { return nil }
        let value = text[(start + name.count)...]
        let marks = Array("';".utf8)
        let end =
            value.indices.first {
                value[$0...].starts(with: marks) && Self.isEnd(value[($0 + 2)...])
            }
            ?? value.lastIndex(of: UInt8(ascii: "'")) ?? value.endIndex
        return decoded(value[..<end])
    }

    /// True if another field follows, or nothing: a title may contain `';` too.
    private static func isEnd(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first else { return true }
        let name = rest.prefix { $0 != UInt8(ascii: "=") }
        return (0x41...0x5A).contains(first & 0xDF) && name.count < rest.count
            && name.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
    }

    /// Titles are in UTF-8 or, from older encoders, in Latin-1.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
