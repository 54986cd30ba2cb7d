/// The ID3v2.2, 2.3 or 2.4 tag at the start of a file, frame by frame (id3.org). Only the requested
/// parts of a frame are read.
struct ID3Tag {
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
    struct Frame {
        /// The frame's name, such as `TIT2`; of three letters in version 2.2.
        let name: String
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
        // In version 2.2 that flag means that all of the tag is compressed.
        guard version > 2 || head[5] & 0x40 == 0 else { return nil }
        let isUnsynchronised = head[5] & 0x80 != 0
        let isWhole = isUnsynchronised && version < 4
        guard !isWhole || end <= Self.wholeLimit else { return nil }
        let whole = isWhole ? Self.synchronised(read(0, end)) : []
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
            let isShort = version == 2
            let head = read(offset, isShort ? 6 : 10)
            let name = head.prefix(isShort ? 3 : 4)
            let start = offset + (isShort ? 6 : 10)
            guard start <= range.upperBound, head.count == start - offset, Self.isName(name) else {
                return
            }
            let size = isShort ? Self.number(Array(head[3...]), bits: 8) : size(head, at: offset)
            guard size <= range.upperBound - start else { return }
            offset = start + size
            let flags = isShort ? 0 : head[9]
            let text = String(decoding: name, as: UTF8.self)
            if let frame = frame(text, flags: flags, start..<offset) { body(frame) }
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
        // Frames that are never used, mostly large pictures, are not decoded.
        guard ["CHAP", "CTOC", "TIT2", "USLT", "SYLT"].contains(name),
            contents.count <= Self.wholeLimit
        else { return nil }
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
        return next.first == 0 || next.count == 4 && Self.isName(next[...])
    }

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }
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

    /// The text of a text frame; nil if it is empty.
    var text: String? {
        guard var texts = ID3Texts(bytes(from: 0, count: ID3Tag.textLimit)) else { return nil }
        let text = texts.text()
        return text.isEmpty ? nil : text
    }
}

/// Reads the parts of a frame whose first byte is an encoding: texts, and numbers between them.
struct ID3Texts {
    private let bytes: [UInt8]
    private let encoding: UInt8
    /// The order of UTF-16's bytes: that of the latest byte order mark.
    private var isBigEndian: Bool
    private var offset = 1

    /// Nil if there is no encoding.
    init?(_ bytes: [UInt8]) {
        guard let encoding = bytes.first else { return nil }
        (self.bytes, self.encoding) = (bytes, encoding)
        isBigEndian = encoding == 2
    }

    /// True if nothing is left.
    var isAtEnd: Bool { offset >= bytes.count }

    /// The bytes of the next part, which has this length; fewer at the end.
    mutating func pop(_ count: Int) -> ArraySlice<UInt8> {
        let part = bytes.dropFirst(offset).prefix(count)
        offset += count
        return part
    }

    /// The next text, up to the zero that ends it or to the end, without a byte order mark.
    mutating func text() -> String {
        guard encoding == 1 || encoding == 2 else {
            let body = bytes.dropFirst(offset).prefix { $0 != 0 }
            offset += body.count + 1
            if encoding == 3 { return String(decoding: body, as: UTF8.self) }
            return String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
        }
        let mark = Array(bytes.dropFirst(offset).prefix(2))
        if mark == [0xFE, 0xFF] || (mark == [0xFF, 0xFE] && encoding == 1) {
            isBigEndian = mark == [0xFE, 0xFF]
            offset += 2
        }
        var units: [UInt16] = []
        while offset + 1 < bytes.count {
            let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
            offset += 2
            let unit = isBigEndian ? first << 8 | second : second << 8 | first
            if unit == 0 { return String(decoding: units, as: UTF16.self) }
            units.append(unit)
        }
        offset = bytes.count
        return String(decoding: units, as: UTF16.self)
    }
}
