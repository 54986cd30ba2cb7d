/// Measures the tags around the audio, which are neither audio nor damage.
package enum TagLength {
    /// Returns the bytes of a file from an offset on: as many as requested, fewer at its end.
    package typealias Reader = (_ offset: Int, _ count: Int) -> [UInt8]

    /// The length of an ID3v1 tag.
    package static let id3v1 = 128

    /// The length of consecutive ID3v2 and APEv2 tags that begin at `offset`.
    package static func leading(from offset: Int, _ read: Reader) -> Int {
        var length = 0
        while true {
            let bytes = read(offset + length, 32)
            let next = max(id3v2Length(bytes), apeLength(header: bytes))
            guard next > 0 else { return length }
            length += next
        }
    }

    /// The length of consecutive ID3v1, APEv2 and Lyrics3v2 tags at the end of a file of `size`
    /// bytes.
    package static func trailing(size: Int, _ read: Reader) -> Int {
        var end = size
        while end > 0 {
            let bytes = read(max(end - id3v1, 0), min(end, id3v1))
            let length =
                [
                    id3v1Length(bytes), apeLength(footer: bytes.suffix(32)), lyricsLength(bytes),
                ].max() ?? 0
            guard length > 0, length <= end else { break }
            end -= length
        }
        return size - end
    }

    private static func id3v1Length(_ bytes: [UInt8]) -> Int {
        bytes.count == id3v1 && bytes.starts(with: "TAG".utf8) ? id3v1 : 0
    }

    /// An APEv2 tag that has a header, which its items follow.
    private static func apeLength(header bytes: [UInt8]) -> Int {
        guard let tag = apeTag(bytes[...]), tag.isHeader else { return 0 }
        return 32 + tag.size
    }

    private static func apeLength(footer bytes: ArraySlice<UInt8>) -> Int {
        guard let tag = apeTag(bytes), !tag.isHeader else { return 0 }
        return tag.size + (tag.hasHeader ? 32 : 0)
    }

    /// Header and footer have the same layout: a name, and little-endian version, size without the
    /// header, number of items and flags.
    private static func apeTag(
        _ bytes: ArraySlice<UInt8>
    ) -> (size: Int, hasHeader: Bool, isHeader: Bool)? {
        guard bytes.count == 32, bytes.starts(with: "APETAGEX".utf8) else { return nil }
        func number(_ offset: Int) -> Int {
            let start = bytes.startIndex + offset
            return bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let flags = number(20)
        return (number(12), flags >> 31 & 1 == 1, flags >> 29 & 1 == 1)
    }

    /// Lyrics3v2 ends with its size in six digits, which excludes them and the name that follows.
    private static func lyricsLength(_ bytes: [UInt8]) -> Int {
        let end = bytes.suffix(15)
        guard end.count == 15, end.suffix(9).elementsEqual("LYRICS200".utf8),
            let size = Int(String(decoding: end.prefix(6), as: UTF8.self)), size > 0
        else { return 0 }
        return size + 15
    }
}
