/// Reads JSON (RFC 8259) from bytes that are valid UTF-8.
struct JSONScanner {
    private let bytes: [UInt8]
    private var offset: Int

    init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Reads the one value of a whole text, and returns where it is.
    mutating func text() throws(JSONText.Problem) -> Range<Int> {
        skipSpace()
        let start = offset
        try value(depth: 0)
        let end = offset
        skipSpace()
        guard offset == bytes.count else { throw problem("something follows the value") }
        return start..<end
    }

    /// Reads an array, and returns where its values are.
    mutating func elements() throws(JSONText.Problem) -> [Range<Int>] {
        var elements: [Range<Int>] = []
        try array(depth: 0) { elements.append($0) }
        return elements
    }

    /// Reads an object.
    mutating func members() throws(JSONText.Problem) -> [JSONText.Member] {
        var members: [JSONText.Member] = []
        try object(depth: 0) { members.append($0) }
        return members
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSONText.Problem) {
        guard depth < JSONText.depthLimit else { throw problem("it is nested too deeply") }
        switch byte {
        case UInt8(ascii: "{"): try object(depth: depth) { _ in }
        case UInt8(ascii: "["): try array(depth: depth) { _ in }
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case .some(let byte) where byte == UInt8(ascii: "-") || byte.isDigit: try number()
        default: throw problem("a value is missing")
        }
    }

    private mutating func object(
        depth: Int, _ handle: (JSONText.Member) -> Void
    ) throws(JSONText.Problem) {
        offset += 1
        skipSpace()
        if skip("}") { return }
        repeat {
            skipSpace()
            let start = offset
            guard byte == UInt8(ascii: "\"") else { throw problem("a key is missing") }
            try string()
            let key = bytes[start + 1..<offset - 1]
            skipSpace()
            guard skip(":") else { throw problem("a colon is missing") }
            skipSpace()
            let valueStart = offset
            try value(depth: depth + 1)
            if depth == 0 {
                handle(JSONText.Member(key: Self.unescaped(key), value: valueStart..<offset))
            }
            skipSpace()
        } while skip(",")
        guard skip("}") else { throw problem("an object does not end") }
    }

    private mutating func array(
        depth: Int, _ handle: (Range<Int>) -> Void
    ) throws(JSONText.Problem) {
        offset += 1
        skipSpace()
        if skip("]") { return }
        repeat {
            skipSpace()
            let start = offset
            try value(depth: depth + 1)
            if depth == 0 { handle(start..<offset) }
            skipSpace()
        } while skip(",")
        guard skip("]") else { throw problem("an array does not end") }
    }

    private mutating func string() throws(JSONText.Problem) {
        offset += 1
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw problem("a string has a control character")
            default: offset += 1
            }
        }
        throw problem("a string does not end")
    }

    private mutating func escape() throws(JSONText.Problem) {
        offset += 1
        if skip("u") {
            for _ in 0..<4 {
                guard let byte, byte.hexDigit != nil else {
                    throw problem("an escape is not valid")
                }
                offset += 1
            }
            return
        }
        guard let byte, Self.escapes[byte] != nil else { throw problem("an escape is not valid") }
        offset += 1
    }

    private mutating func number() throws(JSONText.Problem) {
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try digits()
        }
    }

    private mutating func digits() throws(JSONText.Problem) {
        guard byte?.isDigit == true else { throw problem("a number is not valid") }
        while byte?.isDigit == true { offset += 1 }
    }

    private mutating func word(_ word: String) throws(JSONText.Problem) {
        guard bytes[offset...].starts(with: word.utf8) else { throw problem("a value is missing") }
        offset += word.utf8.count
    }

    // MARK: Bytes

    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { offset += 1 }
    }

    private func problem(_ reason: String) -> JSONText.Problem {
        JSONText.Problem(offset: offset, reason: reason)
    }

    // MARK: Strings

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5c, UInt8(ascii: "/"): 0x2f,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0c, UInt8(ascii: "n"): 0x0a,
        UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09,
    ]

    /// The text of a valid string between its quotation marks. Half a surrogate pair becomes
    /// U+FFFD.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var units: [UInt16] = []
        var rest = bytes
        while !rest.isEmpty {
            let plain = rest.prefix { $0 != UInt8(ascii: "\\") }
            units += String(decoding: plain, as: UTF8.self).utf16
            rest = rest.dropFirst(plain.count)
            guard !rest.isEmpty else { break }
            let letter = rest[rest.startIndex + 1]
            rest = rest.dropFirst(2)
            if letter == UInt8(ascii: "u") {
                let digits = rest.prefix(4).compactMap(\.hexDigit)
                units.append(digits.reduce(0) { $0 << 4 | UInt16($1) })
                rest = rest.dropFirst(4)
            } else {
                units.append(UInt16(escapes[letter] ?? letter))
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
