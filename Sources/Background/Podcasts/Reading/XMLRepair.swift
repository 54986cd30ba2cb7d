/// Repairs the bytes of an XML document as they arrive, as most readers do: the parser refuses white
/// space before the declaration, and control characters and broken UTF-8 anywhere.
///
/// A byte order mark decides the character set, else the document's declaration, else what the server
/// says, else it is UTF-8. Bytes that are not UTF-8 where they should be are taken as Windows-1252, and
/// a character that XML does not allow becomes a space, also one that is written as a number.
struct XMLRepair {
    private enum Form {
        case unknown
        /// Two bytes or more a character: left as it is.
        case wide
        case singleByte, utf8
    }

    /// The number of bytes of a document that are searched for its declaration.
    private static let headLimit = 1024
    /// The maximum length in bytes of a number that stands for a character.
    private static let referenceLimit = 16
    private static let declaration = Array("<?xml".utf8)
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// The character set to parse in, once there are bytes to parse; nil for the one that the
    /// document declares.
    private(set) var encoding: String?
    private let charset: String?
    private let characters: (String) -> [Int32]?
    private var form = Form.unknown
    private var hasByteOrderMark = false
    /// The bytes that have arrived and were not handed out.
    private var pending: [UInt8] = []
    /// The UTF-8 for each byte from 0x80 on that is not part of a character, once one is.
    private var replacements: [[UInt8]] = []

    /// `charset` is the server's, and `characters` as in `FeedXMLReader.init`.
    init(charset: String?, characters: @escaping (String) -> [Int32]?) {
        self.charset = charset
        self.characters = characters
    }

    /// Repairs the next bytes, and returns those that are ready to parse.
    mutating func repair(_ bytes: Span<UInt8>, isLast: Bool = false) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe pending.append(contentsOf: $0) }
        if form == .unknown { findForm(isLast) }
        switch form {
        case .unknown: return []
        case .wide: return hand(over: pending.count)
        case .singleByte, .utf8: return repaired(isLast)
        }
    }

    private mutating func hand(over count: Int) -> [UInt8] {
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
    }

    // MARK: The beginning

    private mutating func findForm(_ isLast: Bool) {
        guard pending.count >= 4 || isLast else { return }
        if isWide { return form = .wide }
        if pending.starts(with: Self.byteOrderMark) {
            hasByteOrderMark = true
            pending.removeFirst(Self.byteOrderMark.count)
        }
        pending.removeFirst(pending.prefix { [0x20, 0x09, 0x0a, 0x0d].contains($0) }.count)
        let head = pending.prefix(Self.headLimit)
        guard head.count >= Self.declaration.count || isLast else { return }
        let isDeclared = head.starts(with: Self.declaration)
        let end = isDeclared ? head.firstIndex(of: UInt8(ascii: ">")) : nil
        if isDeclared, end == nil, head.count < Self.headLimit, !isLast { return }
        setForm(declared: end.flatMap { Self.encoding(in: head[..<$0]) })
    }

    /// True if it begins as UTF-16 does.
    private var isWide: Bool {
        let head = pending.prefix(2)
        return head.elementsEqual([0xfe, 0xff]) || head.elementsEqual([0xff, 0xfe])
            || head.elementsEqual([0, UInt8(ascii: "<")])
            || head.elementsEqual([UInt8(ascii: "<"), 0])
    }

    private mutating func setForm(declared: String?) {
        let name = hasByteOrderMark ? nil : declared ?? charset.flatMap { isKnown($0) ? $0 : nil }
        if let name, !Self.isUTF8(name) {
            form = .singleByte
            encoding = declared == nil ? name : nil
            return
        }
        form = .utf8
        encoding = "UTF-8"
    }

    private func isKnown(_ charset: String) -> Bool {
        Self.isUTF8(charset) || charset.uppercased() == "ISO-8859-1" || characters(charset) != nil
    }

    /// Returns true if a set is UTF-8, or a part of it, or one that bytes without zeros cannot be
    /// in.
    private static func isUTF8(_ name: String) -> Bool {
        let name = name.uppercased()
        return name.hasPrefix("UTF") || name == "US-ASCII" || name == "ASCII"
    }

    /// The character set in a declaration.
    private static func encoding(in declaration: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: declaration, as: UTF8.self)
        guard let name = text.firstRange(of: "encoding") else { return nil }
        let rest = text[name.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        let value = rest.dropFirst().prefix { $0 != quote }
        return value.isEmpty ? nil : String(value)
    }

    // MARK: All else

    private mutating func repaired(_ isLast: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(pending.count)
        // What is right since the last repair begins at `start`.
        var (start, index) = (0, 0)
        while index < pending.count, let next = part(at: index, isLast) {
            if let replacement = next.replacement {
                result += pending[start..<index]
                result += replacement
                start = index + next.length
            }
            index += next.length
        }
        result += pending[start..<index]
        pending.removeFirst(index)
        return result
    }

    /// The length of the error at `index` and its replacement; nil if more bytes must arrive to
    /// know.
    private mutating func part(
        at index: Int, _ isLast: Bool
    ) -> (length: Int, replacement: [UInt8]?)? {
        let byte = pending[index]
        switch byte {
        case UInt8(ascii: "&"):
            return reference(at: index, isLast).map { ($0.length, $0.isAllowed ? nil : [0x20]) }
        case 0x20..<0x80, 0x09, 0x0a, 0x0d: return (1, nil)
        case 0..<0x20: return (1, [0x20])
        case _ where form == .singleByte: return (1, nil)
        default:
            guard let length = sequenceLength(at: index, isLast) else { return nil }
            guard length > 0 else { return (1, replacement(of: byte)) }
            let isNone =
                length == 3 && byte == 0xef && pending[index + 1] == 0xbf
                && pending[index + 2] >= 0xbe
            return (length, isNone ? Array("\u{FFFD}".utf8) : nil)
        }
    }

    /// The UTF-8 for a byte that is not part of a character.
    private mutating func replacement(of byte: UInt8) -> [UInt8] {
        if replacements.isEmpty {
            let windows = characters("WINDOWS-1252")
            replacements = (0x80...0xff).map { byte in
                let number = windows.map { $0[byte] } ?? -1
                let scalar = number > 0 ? Unicode.Scalar(UInt32(number)) : nil
                return Array(String(scalar ?? "\u{FFFD}").utf8)
            }
        }
        return replacements[Int(byte) - 0x80]
    }

    /// Returns the number of bytes of the character at `index`; 0 if there is none, and nil if more
    /// bytes must arrive to know.
    private func sequenceLength(at index: Int, _ isLast: Bool) -> Int? {
        let (count, second): (Int, ClosedRange<UInt8>)
        switch pending[index] {
        case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
        case 0xe0: (count, second) = (3, 0xa0...0xbf)
        case 0xed: (count, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
        case 0xf0: (count, second) = (4, 0x90...0xbf)
        case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
        case 0xf4: (count, second) = (4, 0x80...0x8f)
        default: return 0
        }
        for offset in 1..<count {
            guard index + offset < pending.count else { return isLast ? 0 : nil }
            let range = offset == 1 ? second : 0x80...0xbf
            guard range.contains(pending[index + offset]) else { return 0 }
        }
        return count
    }

    /// The length of the reference at `index`, and whether XML allows it; nil if more bytes must
    /// arrive to know. Only numbers are looked at.
    private func reference(at index: Int, _ isLast: Bool) -> (length: Int, isAllowed: Bool)? {
        let text = pending[index...].prefix(Self.referenceLimit)
        let isNumber = text.dropFirst().first.map { $0 == UInt8(ascii: "#") }
        guard isNumber ?? true else { return (1, true) }
        guard let end = text.firstIndex(of: UInt8(ascii: ";")) else {
            return text.count < Self.referenceLimit && !isLast ? nil : (1, true)
        }
        var digits = String(decoding: text[(index + 2)..<end], as: UTF8.self)[...]
        let isHexadecimal = digits.first == "x"
        if isHexadecimal { digits = digits.dropFirst() }
        guard let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else { return (1, true) }
        return (end - index + 1, Self.isAllowed(number))
    }

    private static func isAllowed(_ number: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(number) else { return false }
        return ["\t", "\n", "\r"].contains(scalar)
            || scalar >= " " && scalar != "\u{FFFE}" && scalar != "\u{FFFF}"
    }
}
