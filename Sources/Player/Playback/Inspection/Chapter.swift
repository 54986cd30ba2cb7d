/// A part of an item that is named in its tag, such as a chapter of a book.
public struct Chapter: Hashable, Sendable {
    /// The start on the item's timeline.
    public var start: CMTime
    /// The end; nil if the tag does not give it, and the chapter extends to the next one or to the
    /// end.
    public var end: CMTime?
    /// The title; nil if the tag does not give it.
    public var title: String?

    /// Creates a chapter.
    public init(start: CMTime, end: CMTime? = nil, title: String? = nil) {
        self.start = start
        self.end = end
        self.title = title
    }
}

extension Chapter: Codable {
    private enum CodingKeys: String, CodingKey { case title, start, end }

    /// Decodes a chapter. Throws if a field is missing or has the wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        start = CMTime(try members.decode(WireTime.self, forKey: .start))
        end = try members.decodeIfPresent(WireTime.self, forKey: .end).map { CMTime($0) }
        title = try members.decodeIfPresent(String.self, forKey: .title)
    }

    /// Encodes the chapter.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(title, forKey: .title)
        try members.encode(WireTime(start), forKey: .start)
        try members.encodeIfPresent(end.map { WireTime($0) }, forKey: .end)
    }
}

extension Chapter {
    /// The chapters in the ID3v2 tag at the start of a file (its CHAP frames), in order of time:
    /// those listed in its table of contents (CTOC), or all if it has none.
    ///
    /// Reads little more than the headers of the frames, however large the pictures between them
    /// are, and trusts no number in the tag.
    package static func chapters(_ read: @escaping TagLength.Reader) -> [Chapter] {
        guard let tag = ID3Tag(read) else { return [] }
        var byName: [[UInt8]: Chapter] = [:]
        var contents: [[UInt8]: Contents] = [:]
        var order: [[UInt8]] = []
        tag.forEachFrame { frame in
            if frame.name == "CHAP", let (name, chapter) = chapter(frame) {
                if byName.updateValue(chapter, forKey: name) == nil { order.append(name) }
            } else if frame.name == "CTOC", let (name, table) = Contents.table(frame) {
                contents[name] = table
            }
        }
        let listed = Contents.names(in: contents).filter { byName[$0] != nil }
        let chapters = (listed.isEmpty ? order : listed).compactMap { byName[$0] }
        let sorted = chapters.indices.sorted { first, second in
            (chapters[first].start, first) < (chapters[second].start, second)
        }
        return sorted.map { chapters[$0] }
    }

    /// A CHAP frame: a name, start and end in milliseconds and in bytes, and embedded frames.
    private static func chapter(_ frame: ID3Tag.Frame) -> (name: [UInt8], Chapter)? {
        guard let name = frame.elementName else { return nil }
        let times = frame.bytes(from: name.count + 1, count: 16)
        guard times.count == 16 else { return nil }
        let start = times[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let end = times[4..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard start != 0xFFFF_FFFF else { return nil }
        var chapter = Chapter(start: CMTime(value: start, timescale: 1000))
        if end > start, end != 0xFFFF_FFFF { chapter.end = CMTime(value: end, timescale: 1000) }
        frame.forEachFrame(from: name.count + 17) { inner in
            if inner.name == "TIT2", chapter.title == nil { chapter.title = inner.text }
        }
        return (name, chapter)
    }

    /// A table of contents: the names of chapters and of other tables.
    private struct Contents {
        var isTop: Bool
        var names: [[UInt8]]

        /// A CTOC frame: a name, flags, the number of names, and the names.
        static func table(_ frame: ID3Tag.Frame) -> (name: [UInt8], Contents)? {
            guard let name = frame.elementName else { return nil }
            let bytes = frame.bytes(from: name.count + 1, count: 1 << 16)
            guard bytes.count > 2 else { return nil }
            let names = bytes.dropFirst(2).split(separator: 0, omittingEmptySubsequences: false)
            return (
                name,
                Contents(
                    isTop: bytes[0] & 2 != 0, names: names.prefix(Int(bytes[1])).map(Array.init))
            )
        }

        /// All names reachable from the top-level tables, each once.
        static func names(in tables: [[UInt8]: Contents]) -> [[UInt8]] {
            var found: [[UInt8]] = []
            var seen: Set<[UInt8]> = []
            var rest = tables.filter(\.value.isTop).keys.map { $0 }
            while let name = rest.popLast() {
                guard seen.insert(name).inserted else { continue }
                if let table = tables[name] { rest += table.names } else { found.append(name) }
            }
            return found
        }
    }
}
