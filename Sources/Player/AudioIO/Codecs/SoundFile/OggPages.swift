import UndersongPlayback

/// One page of an Ogg stream (RFC 3533, section 6).
struct OggPage {
    /// The page's offset in the file, and its length including the header.
    let offset: Int
    let length: Int
    /// True if the page continues a packet from the previous one.
    let isContinued: Bool
    let isFirst: Bool
    let isLast: Bool
    /// The position of the last sample that ends on the page; nil if no packet ends on it.
    let granule: Int?
    /// The stream that the page belongs to, and its number in that stream.
    let serial: UInt32
    let number: UInt32
    /// The lengths of the segments; one below 255 ends a packet.
    let segments: [UInt8]

    static let longestHeader = 27 + 255
    static let longest = longestHeader + 255 * 255

    var end: Int { offset + length }
    var contents: Range<Int> { offset + 27 + segments.count..<end }

    /// Parses the header in `bytes`, read from `offset` in the file.
    init?(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        let start = bytes.startIndex
        guard bytes.count >= 27, bytes.starts(with: "OggS".utf8), bytes[start + 4] == 0 else {
            return nil
        }
        func number(_ range: Range<Int>) -> UInt64 {
            range.reversed().reduce(0) { $0 << 8 | UInt64(bytes[start + $1]) }
        }
        let count = Int(bytes[start + 26])
        guard bytes.count >= 27 + count else { return nil }
        segments = Array(bytes[(start + 27)..<(start + 27 + count)])
        length = 27 + count + segments.reduce(0) { $0 + Int($1) }
        self.offset = offset
        isContinued = bytes[start + 5] & 1 != 0
        isFirst = bytes[start + 5] & 2 != 0
        isLast = bytes[start + 5] & 4 != 0
        let granule = Int64(bitPattern: number(6..<14))
        self.granule = 0..<Int64(StreamFormat.frameLimit) ~= granule ? Int(granule) : nil
        serial = UInt32(number(14..<18))
        self.number = UInt32(number(18..<22))
    }
}

/// Finds the links of a file: Ogg streams that follow one another are one file (a chain).
struct OggChain {
    /// One stream.
    struct Link {
        var range: Range<Int>
        /// The position of its last sample; nil if no page gives one.
        var lastGranule: Int?
        /// Frames on its last page, from which libsndfile does not seek to the right frame.
        var lastPageFrames = 0
        /// True if its last page is missing, or is not whole.
        var isCutShort = false
    }

    private static let probeCount = 8

    private let file: MediaFile
    private let size: Int
    private let start: Int

    init(_ file: MediaFile, from start: Int, size: Int) {
        self.file = file
        self.start = start
        self.size = size
    }

    /// The streams in order. Reads every page only if the file looks like a chain.
    func links() -> [Link] {
        let ranges = isChain() ? walk() : [start..<size]
        return ranges.map(link)
    }

    /// The page that begins at `offset`.
    func page(at offset: Int) -> OggPage? {
        OggPage(file.head(OggPage.longestHeader, at: offset)[...], at: offset)
    }

    /// True if any of a few sampled pages belongs to another stream, or restarts the numbering.
    private func isChain() -> Bool {
        guard let first = page(at: start) else { return false }
        var last = first
        // Of what is on the network only the end is fetched, which has the length.
        let count = file.network == nil ? Self.probeCount : 1
        for index in 1...count {
            let place =
                index == count
                ? max(start, size - OggPage.longest)
                : start + (size - start) / Self.probeCount * index
            var pages = pages(in: place..<min(size, place + OggPage.longest))
            if index < count { pages = Array(pages.prefix(1)) }
            for page in pages where page.offset > last.offset {
                guard page.serial == first.serial, page.number > last.number else { return true }
                last = page
            }
        }
        return false
    }

    /// The pages that begin in `range`, of which the first need not begin at once.
    private func pages(in range: Range<Int>) -> [OggPage] {
        let bytes = file.head(range.count, at: range.lowerBound)
        var pages: [OggPage] = []
        var place = 0
        while place + 27 <= bytes.count {
            let page =
                bytes[place] == UInt8(ascii: "O")
                ? OggPage(bytes[place...], at: range.lowerBound + place) : nil
            // By chance no other bytes look like a page that is followed by one.
            guard let page, page.end >= range.upperBound || self.page(at: page.end) != nil else {
                place += 1
                continue
            }
            pages.append(page)
            place += page.length
        }
        return pages
    }

    private func walk() -> [Range<Int>] {
        var starts = [start]
        var (offset, isInHeads) = (start, true)
        // A file that is being written may have pages after what was its end.
        while offset < size, let page = nextPage(from: offset), page.offset < size {
            if page.isFirst && !isInHeads { starts.append(page.offset) }
            isInHeads = page.isFirst
            offset = page.end
        }
        return zip(starts, starts.dropFirst() + [size]).map { $0..<$1 }
    }

    /// The last page of the file, if it ends with a whole one; it is looked for in the last bytes.
    func lastPage() -> OggPage? {
        for length in [8 << 10, OggPage.longest] {
            let tail = max(start, size - length)
            let bytes = file.head(size - tail, at: tail)
            let place = bytes.indices.reversed().first { index in
                bytes[index] == UInt8(ascii: "O")
                    && OggPage(bytes[index...], at: tail + index)?.end == size
            }
            if let place { return OggPage(bytes[place...], at: tail + place) }
        }
        return nil
    }

    /// The first page from `offset` on.
    func nextPage(from offset: Int) -> OggPage? {
        if let page = page(at: offset) { return page }
        for place in stride(from: offset, to: size, by: OggPage.longest) {
            let range = place..<min(size, place + OggPage.longest)
            if let page = pages(in: range).first { return page }
        }
        return nil
    }

    private func link(_ range: Range<Int>) -> Link {
        let tail = max(range.lowerBound, range.upperBound - 2 * OggPage.longest)
        let pages = pages(in: tail..<range.upperBound).filter { $0.end <= range.upperBound }
        let isCutShort = pages.last?.isLast != true
        let granules = pages.compactMap(\.granule)
        guard let last = granules.last else { return Link(range: range, isCutShort: isCutShort) }
        return Link(
            range: range, lastGranule: last,
            lastPageFrames: last - (granules.dropLast().last { $0 < last } ?? 0),
            isCutShort: isCutShort)
    }

    /// The packet of that number from the start of the stream at `offset`, 0 being the first; at most
    /// `limit` bytes of it.
    func packet(_ number: Int, ofStreamAt offset: Int, limit: Int) -> [UInt8] {
        guard let first = page(at: offset) else { return [] }
        var packet: [UInt8] = []
        var (count, offset) = (0, offset)
        while let page = page(at: offset) {
            offset = page.end
            guard page.serial == first.serial else { continue }
            var place = page.contents.lowerBound
            var piece = 0
            for segment in page.segments {
                piece += Int(segment)
                guard segment < 255 else { continue }
                if count == number {
                    return packet + file.head(min(piece, limit - packet.count), at: place)
                }
                count += 1
                place += piece
                piece = 0
            }
            if count == number {
                packet += file.head(min(piece, limit - packet.count), at: place)
                if packet.count >= limit { return packet }
            }
        }
        return packet
    }
}
