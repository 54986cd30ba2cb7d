/// The ID3v2 tag at the start of a file, frame by frame (id3.org). Only the requested parts of a frame
/// are read. Frames of version 2.2 have the names of the later ones.
package struct ID3Tag {
    /// The maximum number of frames read from a tag; no real file has more.
    private static let frameLimit = 20_000
    /// The maximum number of frames read from within a frame.
    private static let innerLimit = 100
    /// The most that is decoded of a tag that must be decoded as a whole; a frame is skipped if it is
    /// longer.
    private static let wholeLimit = 4 << 20
    /// The maximum length of a text.
    private static let textLimit = 1 << 16

    /// One frame.
    package struct Frame {
        /// The frame's name, such as `TIT2`.
        package let name: String
        /// The tag, and the range of the contents in it.
        fileprivate let tag: ID3Tag
        fileprivate let range: Range<Int>
    }

    private let read: TagLength.Reader
    /// 2, 3 or 4.
    private let version: UInt8
    /// True if all frames are unsynchronised, whatever their own flags say.
    private let areUnsynchronised: Bool
    private let range: Range<Int>
    private var limit = ID3Tag.frameLimit

    /// Nil if there is no such tag.
    package init?(_ read: @escaping TagLength.Reader) {
        let head = read(0, 10)
        let end = id3v2Length(head)
        guard end > 10, 2...4 ~= head[3] else { return nil }
        version = head[3]
        // In version 2 that bit means a compression that was never defined.
        guard version > 2 || head[5] & 0x40 == 0 else { return nil }
        let isUnsynchronised = head[5] & 0x80 != 0
        let isWhole = isUnsynchronised && version < 4
        let whole = isWhole ? Self.synchronised(read(0, min(end, Self.wholeLimit))) : []
        let reader = isWhole ? Self.reader(of: whole) : read
        let size = isWhole ? whole.count : version == 4 && head[5] & 0x10 != 0 ? end - 10 : end
        var start = 10
        if head[5] & 0x40 != 0 {
            // From version 4 on, the size of an extended header includes itself.
            let bytes = reader(10, 4)
            start += Self.number(bytes, bits: version == 3 ? 8 : 7) + (version == 3 ? 4 : 0)
        }
        guard start <= size else { return nil }
        self.read = reader
        areUnsynchronised = isUnsynchronised && version == 4
        range = start..<size
    }

    private init(_ read: @escaping TagLength.Reader, version: UInt8, range: Range<Int>) {
        (self.read, self.version, self.range) = (read, version, range)
        areUnsynchronised = false
        limit = Self.innerLimit
    }

    /// Passes each frame to `body`, up to the padding or the first invalid one. Compressed and
    /// encrypted frames are skipped.
    package func forEachFrame(_ body: (Frame) -> Void) {
        var offset = range.lowerBound
        let headLength = version == 2 ? 6 : 10
        for _ in 0..<limit {
            let head = read(offset, headLength)
            guard offset + headLength <= range.upperBound, head.count == headLength, isName(head)
            else { return }
            let size =
                version == 2 ? Self.number(Array(head[3..<6]), bits: 8) : size(head, at: offset)
            let start = offset + headLength
            guard size <= range.upperBound - start else { return }
            offset = start + size
            let name = Self.name(head.prefix(version == 2 ? 3 : 4))
            let flags = version == 2 ? 0 : head[9]
            if let frame = frame(name, flags: flags, start..<offset) { body(frame) }
        }
    }

    /// The name of a frame. Some programs write names of version 2 in tags of version 3.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        let name = String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
        return name.utf8.count == 3 ? names[name] ?? name : name
    }

    /// The later names of frames of version 2.
    private static let names = [
        "COM": "COMM", "PIC": "APIC", "SLT": "SYLT", "TAL": "TALB", "TBP": "TBPM", "TCM": "TCOM",
        "TCO": "TCON", "TCP": "TCMP", "TCR": "TCOP", "TDA": "TDAT", "TEN": "TENC", "TLA": "TLAN",
        "TOR": "TORY", "TP1": "TPE1", "TP2": "TPE2", "TP3": "TPE3", "TP4": "TPE4", "TPA": "TPOS",
        "TPB": "TPUB", "TRC": "TSRC", "TRK": "TRCK", "TS2": "TSO2", "TSA": "TSOA", "TSC": "TSOC",
        "TSP": "TSOP", "TSS": "TSSE", "TST": "TSOT", "TT1": "TIT1", "TT2": "TIT2", "TT3": "TIT3",
        "TXT": "TEXT", "TXX": "TXXX", "TYE": "TYER", "UFI": "UFID", "ULT": "USLT",
    ]

    /// The frame after a header with these flags.
    private func frame(_ name: String, flags: UInt8, _ range: Range<Int>) -> Frame? {
        let isPacked = flags & (version == 4 ? 0x0C : 0xC0) != 0
        let hasGroup = flags & (version == 4 ? 0x40 : 0x20) != 0
        let hasLength = version == 4 && flags & 0x01 != 0
        let start = range.lowerBound + (hasGroup ? 1 : 0) + (hasLength ? 4 : 0)
        guard !isPacked, start <= range.upperBound else { return nil }
        let contents = start..<range.upperBound
        guard version == 4, areUnsynchronised || flags & 0x02 != 0 else {
            return Frame(name: name, tag: self, range: contents)
        }
        // Pictures are large, and not used.
        guard name != "APIC" else { return Frame(name: name, tag: self, range: start..<start) }
        guard contents.count <= Self.wholeLimit else { return nil }
        let whole = Self.synchronised(read(start, contents.count))
        let tag = ID3Tag(Self.reader(of: whole), version: version, range: 0..<whole.count)
        return Frame(name: name, tag: tag, range: 0..<whole.count)
    }

    /// The size of a frame's contents. Version 4 uses seven bits of each byte; some programs do
    /// not, and then what follows decides.
    private func size(_ head: [UInt8], at offset: Int) -> Int {
        let bytes = Array(head[4..<8])
        let plain = Self.number(bytes, bits: 8)
        let safe = Self.number(bytes, bits: 7)
        guard version == 4, plain != safe else { return plain }
        if bytes.contains(where: { $0 > 0x7F }) { return plain }
        return !canEnd(offset + 10 + safe) && canEnd(offset + 10 + plain) ? plain : safe
    }

    /// True if a frame may end at `offset`: followed by another frame, padding or nothing.
    private func canEnd(_ offset: Int) -> Bool {
        guard offset < range.upperBound else { return offset == range.upperBound }
        let next = read(offset, 4)
        return next.first == 0 || isName(next)
    }

    private func isName(_ bytes: [UInt8]) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x41...0x5A ~= byte }
        guard bytes.count >= (version == 2 ? 3 : 4), bytes.prefix(3).allSatisfy(isLetter) else {
            return false
        }
        return version == 2 || isLetter(bytes[3]) || bytes[3] == 0x20 || bytes[3] == 0
    }

    private static func number(_ bytes: [UInt8], bits: Int) -> Int {
        bytes.reduce(0) { $0 << bits | Int($1) & (1 << bits - 1) }
    }

    /// `bytes` without the zeros inserted after each 255.
    private static func synchronised(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var isMarked = false
        for byte in bytes {
            if !(isMarked && byte == 0) { result.append(byte) }
            isMarked = byte == 0xFF
        }
        return result
    }

    private static func reader(of bytes: [UInt8]) -> TagLength.Reader {
        { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }
    }
}

extension ID3Tag.Frame {
    /// The contents from `offset` on, at most `count` bytes.
    package func bytes(from offset: Int, count: Int) -> [UInt8] {
        guard offset < range.count else { return [] }
        return tag.read(range.lowerBound + offset, min(count, range.count - offset))
    }

    /// The name at the start of frames about chapters, without the zero that ends it.
    var elementName: [UInt8]? {
        let bytes = bytes(from: 0, count: 256)
        return bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) }
    }

    /// Passes each frame embedded in this one from `offset` on to `body`.
    func forEachFrame(from offset: Int, _ body: (ID3Tag.Frame) -> Void) {
        guard offset < range.count else { return }
        let inner = range.lowerBound + offset..<range.upperBound
        ID3Tag(tag.read, version: tag.version, range: inner).forEachFrame(body)
    }

    /// The text of a text frame, the first if it has several; nil if it is empty.
    var text: String? { texts.first.flatMap { $0.isEmpty ? nil : $0 } }

    /// The texts of a text frame, which zeros separate.
    package var texts: [String] {
        let bytes = bytes(from: 0, count: ID3Tag.textLimit)
        guard let encoding = bytes.first else { return [] }
        return Self.pieces(bytes.dropFirst(), encoding)
    }

    /// The description and the texts of a frame that has both, such as `TXXX`. `COMM` and `USLT` have
    /// a language before the description.
    package var describedTexts: (detail: String, texts: [String]) {
        let bytes = bytes(from: 0, count: ID3Tag.textLimit)
        guard let encoding = bytes.first else { return ("", []) }
        let hasLanguage = name == "COMM" || name == "USLT"
        let pieces = Self.pieces(bytes.dropFirst(hasLanguage ? 4 : 1), encoding)
        return (pieces.first ?? "", Array(pieces.dropFirst()))
    }

    /// The texts in `bytes`, of which each but the last ends with a zero; those at the end that are
    /// empty do not count.
    private static func pieces(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> [String] {
        var pieces: [String]
        switch encoding {
        case 1: pieces = utf16(bytes, isBigEndian: bytes.starts(with: [0xFE, 0xFF]))
        case 2: pieces = utf16(bytes, isBigEndian: true)
        default:
            pieces = bytes.split(separator: 0, omittingEmptySubsequences: false).map { piece in
                guard encoding != 3, piece.contains(where: { $0 > 0x7F }) else {
                    return String(decoding: piece, as: UTF8.self)
                }
                return String(String.UnicodeScalarView(piece.map { Unicode.Scalar($0) }))
            }
        }
        while pieces.last?.isEmpty == true { pieces.removeLast() }
        return pieces
    }

    /// The texts, each without its byte order mark.
    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [String] {
        let start = bytes.startIndex
        let units = stride(from: start, to: max(start, bytes.endIndex - 1), by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return units.split(separator: 0, omittingEmptySubsequences: false).map { piece in
            String(decoding: piece.drop { $0 == 0xFEFF }, as: UTF16.self)
        }
    }
}
