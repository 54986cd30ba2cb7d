import UndersongPlayback

/// A FLAC stream in Ogg pages (xiph.org/flac/ogg_mapping.html). libsndfile 1.2 cannot play it, but
/// what the pages contain is a FLAC file, after the head of the mapping's first packet.
enum OggFLAC {
    /// The start of the first packet: its kind, two numbers of the mapping's version, and the number
    /// of the packets of metadata.
    static let magic = [0x7F] + Array("FLAC".utf8)
    private static let headLength = 9

    /// The parts of `file` that make up the FLAC file in an Ogg stream; nil if it has no FLAC. Reads
    /// the headers of all pages.
    static func pieces(of file: MediaFile, in range: Range<Int>) -> [Range<Int>]? {
        let chain = OggChain(file, from: range.lowerBound, size: range.upperBound)
        guard let first = chain.page(at: range.lowerBound),
            file.head(magic.count, at: first.contents.lowerBound) == magic
        else { return nil }
        var pieces = [first.contents.dropFirst(headLength)]
        var offset = first.end
        while offset < range.upperBound, let page = chain.nextPage(from: offset) {
            if page.serial == first.serial {
                pieces.append(page.contents.clamped(to: range))
            }
            offset = page.end
        }
        return pieces
    }

    /// The metadata blocks in a stream, without their heads, at most `limit` bytes of each.
    static func blocks(
        of chain: OggChain, at start: Int, limit: Int
    ) -> [(kind: Int, bytes: ArraySlice<UInt8>)] {
        var blocks: [(kind: Int, bytes: ArraySlice<UInt8>)] = []
        for number in 1...128 {
            let packet = chain.packet(number, ofStreamAt: start, limit: limit)
            guard packet.count >= 4, packet[0] != 0xFF else { return blocks }
            blocks.append((Int(packet[0] & 0x7F), packet.dropFirst(4)))
            if packet[0] & 0x80 != 0 { return blocks }
        }
        return blocks
    }
}
