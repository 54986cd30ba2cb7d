/// The kind of a file that no codec recognizes, as `an MP4 file, which is not supported` or `a PNG
/// image, not a sound file`; nil if its first bytes, `head`, do not identify it.
func unplayedFormat(_ head: [UInt8], of file: MediaFile) -> String? {
    if head.count >= 8, head[4..<8].elementsEqual("ftyp".utf8) {
        return (mp4Coding(of: file).map { "\($0) in an MP4 file" } ?? "an MP4 file") + unsupported
    }
    // Layer 0, which MPEG audio does not have.
    if head.count >= 2, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return "AAC audio" + unsupported }
    if head.count >= 12, head.starts(with: "RIFF".utf8), head[8..<11].elementsEqual("AVI".utf8) {
        return "an AVI file" + unsupported
    }
    let others: [(magic: [UInt8], name: String)] = [
        (Array("%PDF".utf8), "a PDF document"), (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
        (Array("GIF8".utf8), "a GIF image"), ([0x89] + Array("PNG".utf8), "a PNG image"),
        (Array("\u{7F}ELF".utf8), "an executable"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
    ]
    if let other = others.first(where: { head.starts(with: $0.magic) }) {
        return other.name + ", not a sound file"
    }
    let formats: [(magic: [UInt8], name: String)] = [
        (Array("MThd".utf8), "a MIDI file"), (Array("wvpk".utf8), "WavPack audio"),
        (Array("TTA1".utf8), "True Audio"), (Array("OFR ".utf8), "OptimFROG audio"),
        (Array("tBaK".utf8), "TAK audio"), (Array("ajkg".utf8), "Shorten audio"),
        (Array("FRM8".utf8), "DSD audio"), (Array("ADIF".utf8), "AAC audio"),
        (Array("#!AMR".utf8), "AMR audio"), (Array(".RMF".utf8), "RealMedia"),
        (Array("FLV".utf8), "Flash video"), ([0, 0, 1, 0xBA], "MPEG video"),
        ([0, 0, 1, 0xB3], "MPEG video"), (Array("MAC ".utf8), "Monkey's Audio"),
        (Array("MPCK".utf8), "Musepack audio"), (Array("DSD ".utf8), "DSD audio"),
        ([0x30, 0x26, 0xB2, 0x75], "Windows Media"), ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska file"),
    ]
    return formats.first { head.starts(with: $0.magic) }.map { $0.name + unsupported }
}

private let unsupported = ", which is not supported"

/// The coding of the first audio track in an MP4 file (ISO/IEC 14496-12, 8.5.2); nil if there is
/// none.
private func mp4Coding(of file: MediaFile) -> String? {
    guard let size = file.size else { return nil }
    let codings = ["mp4a": "AAC", "alac": "Apple Lossless", "ac-3": "AC-3", "Opus": "Opus"]
    return firstSampleEntry(in: 0..<size, of: file, depth: 0) { codings[$0] }
}

private func firstSampleEntry(
    in range: Range<Int>, of file: MediaFile, depth: Int, _ coding: (String) -> String?
) -> String? {
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
        let head = file.head(16, at: place)
        guard head.count >= 8 else { return nil }
        var length = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        var start = place + 8
        if length == 1, head.count == 16 {
            length = head[8..<16].reduce(0) { $0 << 8 | Int($1 & 0x7F) }
            start += 8
        }
        let end = length == 0 ? range.upperBound : place + length
        guard end > start, end <= range.upperBound else { return nil }
        let kind = String(decoding: head[4..<8], as: UTF8.self)
        if kind == "stsd" {
            // A version, a count, and the first entry, whose type follows its length.
            let entry = file.head(4, at: start + 12)
            if let name = coding(String(decoding: entry, as: UTF8.self)) { return name }
        } else if depth < 8, ["moov", "trak", "mdia", "minf", "stbl"].contains(kind),
            let name = firstSampleEntry(in: start..<end, of: file, depth: depth + 1, coding)
        {
            return name
        }
        place = end
    }
    return nil
}
