@testable import UndersongAudioSession
@testable import UndersongBase
@testable import UndersongLibrary
@testable import UndersongPlayback

/// Reads a playlist whose bytes arrive at once, and again in small pieces: both give the same.
func readPlaylist(_ bytes: [UInt8], _ format: PlaylistFormat) {
    _ = PlaylistFormat(head: Array(bytes.prefix(PlaylistFormat.headLength)))
    let whole = entries(of: bytes, format, pieceLength: max(1, bytes.count))
    let pieces = entries(of: bytes, format, pieceLength: 7)
    require(whole == pieces, "a playlist that arrives in pieces is another one")
}

private func entries(
    of bytes: [UInt8], _ format: PlaylistFormat, pieceLength: Int
) -> [QueueEntry] {
    let context = PlaylistContext(
        folder: "/music", isThere: { $0.bytes.count % 2 == 0 }, text: CharacterSet.text)
    var reader = format.lineReader(context) ?? XSPFReader(context)
    var entries: [QueueEntry] = []
    do {
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            let piece = Array(bytes[start..<min(start + pieceLength, bytes.count)])
            try reader.read(piece.span, into: &entries)
        }
        try reader.finish(into: &entries)
    } catch {
        return []
    }
    return entries
}

func readLyrics(_ bytes: [UInt8]) { _ = Lyrics(lrcFile: bytes)?.part(from: 1, to: 100) }
