/// The ID3v2.3 or 2.4 tag at the start of a file, frame by frame (id3.org). Only the requested
/// parts of a frame are read.
struct ID3Tag {
    /// The maximum number of frames read from a tag; no real file has more.
    private static let frameLimit = 20_000
    /// The maximum number of frames read from within a frame.
    private static let innerLimit = 100
    /// A tag or frame that must be decoded as a whole is skipped if it is longer than this.
    private static let wholeLimit = 4 << 20
    /// The maximum length of a text.
    private static let textLimit = 1 << 16

    /// One frame.
    struct Frame {
        /// The frame's name, such as `TIT2`.
        let name: String
        /// The tag, and the range of the contents in it.
        fileprivate let tag: ID3Tag
        fileprivate let range: Range<Int>
    }

    private let read: TagLength.Reader
    private let version: UInt8
    /// True if all frames are unsynchronised, whatever their own flags say.
    private let areUnsynchronised: Bool
    private let range: Range<Int>
    private var limit = ID3Tag.frameLimit

    /// Nil if there is no such tag.
    init?(_ read: @escaping TagLength.Reader) {
        let head = read(0, 10)
        let end = id3v2Length(head)
        guard end > 10, head[3] == 3 || head[3] == 4 else { return nil }
        version = head[3]
        let isUnsynchronised = head[5] & 0x80 != 0
        let isWhole = isUnsynchronised && version == 3
        guard !isWhole || end <= Self.wholeLimit else { return nil }
        let whole = isWhole ? Self.synchronised(read(0, end)) : []
        let reader = isWhole ? Self.reader(of: whole) : read
        let size = isWhole ? whole.count : head[5] & 0x10 != 0 ? end - 10 : end
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
    func forEachFrame(_ body: (Frame) -> Void) {
        var offset = range.lowerBound
        for _ in 0..<limit {
            let head = read(offset, 10)
            guard offset + 10 <= range.upperBound, head.count == 10, Self.isName(head) else {
                return
            }
            let size = size(head, at: offset)
            let start = offset + 10
            guard size <= range.upperBound - start else { return }
            offset = start + size
            let name = String(decoding: head.prefix(4), as: UTF8.self)
            if let frame = frame(name, flags: head[9], start..<offset) { body(frame) }
        }
    }

    /// The frame after a header with these flags.
    private func frame(_ name: String, flags: UInt8, _ range: Range<Int>) -> Frame? {
        let isPacked = flags & (version == 3 ? 0xC0 : 0x0C) != 0
        let hasGroup = flags & (version == 3 ? 0x20 : 0x40) != 0
        let hasLength = version == 4 && flags & 0x01 != 0
        let start = range.lowerBound + (hasGroup ? 1 : 0) + (hasLength ? 4 : 0)
        guard !isPacked, start <= range.upperBound else { return nil }
        let contents = start..<range.upperBound
        guard version == 4, areUnsynchronised || flags & 0x02 != 0 else {
            return Frame(name: name, tag: self, range: contents)
        }
        // Frames that are never used, mostly large pictures, are not decoded.
        guard ["CHAP", "CTOC", "TIT2"].contains(name), contents.count <= Self.wholeLimit else {
            return nil
        }
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
        return next.first == 0 || Self.isName(next)
    }

    private static func isName(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 4
            && bytes.prefix(4).allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }
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
    func bytes(from offset: Int, count: Int) -> [UInt8] {
        guard offset < range.count else { return [] }
        return tag.read(range.lowerBound + offset, min(count, range.count - offset))
    }

    /// The name at the start of frames about chapters, without the zero that ends it.
    var elementName: [UInt8]? {
        let bytes = bytes(from: 0, count: 256)
        return bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) }
    }

    /// Passes each frame embedded in this one from `offset` on to `body`.
    func forEachFrame(from offset: Int, _ take: (ID3Tag.Frame) -> Void) {
        guard offset < range.count else { return }
        let inner = range.lowerBound + offset..<range.upperBound
        ID3Tag(tag.read, version: tag.version, range: inner).forEachFrame(take)
    }

    /// The text of a text frame; nil if it is empty.
    var text: String? {
        let bytes = bytes(from: 0, count: ID3Tag.textLimit)
        guard let encoding = bytes.first else { return nil }
        let body = bytes.dropFirst()
        let text: String
        switch encoding {
        case 1: text = Self.utf16(Array(body), isBigEndian: body.starts(with: [0xFE, 0xFF]))
        case 2: text = Self.utf16(Array(body), isBigEndian: true)
        case 3: text = String(decoding: body.prefix { $0 != 0 }, as: UTF8.self)
        default:
            let scalars = body.prefix { $0 != 0 }.map { Unicode.Scalar($0) }
            text = String(String.UnicodeScalarView(scalars))
        }
        return text.isEmpty ? nil : text
    }

    /// The text up to the first zero, without a byte order mark.
    private static func utf16(_ bytes: [UInt8], isBigEndian: Bool) -> String {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units.drop { $0 == 0xFEFF }.prefix { $0 != 0 }, as: UTF16.self)
    }
}
