/// The words of a song as the ID3v2 tag at the start of a file has them.
package struct TaggedLyrics: Equatable, Sendable {
    /// A line or a syllable.
    package struct Piece: Equatable, Sendable {
        /// When it is sung, in seconds from the beginning of the file.
        package var seconds: Double
        /// The text; the one that begins a line often begins with its end.
        package var text: String

        package init(seconds: Double, text: String) {
            self.seconds = seconds
            self.text = text
        }
    }

    /// The maximum number of bytes that are read of a frame.
    package static let limit = 1 << 18

    /// The pieces with times (SYLT), in the order of the tag.
    package private(set) var pieces: [Piece] = []
    /// The words without times (USLT).
    package private(set) var text: String?

    package init(pieces: [Piece] = [], text: String? = nil) {
        self.pieces = pieces
        self.text = text
    }

    /// Reads the tag. Several texts are in different languages; the first one that has words counts.
    package init(_ read: @escaping TagLength.Reader) {
        var isSung = false
        ID3Tag(read)?.forEachFrame { frame in
            switch frame.name {
            case "USLT":
                if text == nil { text = Self.text(frame) }
            case "SYLT":
                guard !isSung, let (found, kind) = Self.pieces(frame, read) else { return }
                // Transcriptions and other texts stand in for words.
                if kind == 1 || pieces.isEmpty { pieces = found }
                isSung = kind == 1
            default: break
            }
        }
    }

    /// A language, a description and the text.
    private static func text(_ frame: ID3Tag.Frame) -> String? {
        guard var texts = ID3Texts(frame.bytes(from: 0, count: limit)) else { return nil }
        _ = texts.pop(3)
        _ = texts.text()
        let text = texts.text()
        return text.isEmpty ? nil : text
    }

    /// A language, the unit of the times, the kind of the texts and a description, and then the texts,
    /// each with its time.
    private static func pieces(
        _ frame: ID3Tag.Frame, _ read: TagLength.Reader
    ) -> (pieces: [Piece], kind: UInt8)? {
        guard var texts = ID3Texts(frame.bytes(from: 0, count: limit)) else { return nil }
        let head = Array(texts.pop(5))
        guard head.count == 5, head[4] <= 2, let unit = unit(head[3], read) else {
            return nil
        }
        _ = texts.text()
        var pieces: [Piece] = []
        while !texts.isAtEnd {
            let text = texts.text()
            let time = texts.pop(4)
            guard time.count == 4 else { break }
            let count = time.reduce(0) { $0 << 8 | Int($1) }
            pieces.append(
                Piece(seconds: Double(count * unit.length) / Double(unit.rate), text: text))
        }
        return pieces.isEmpty ? nil : (pieces, head[4])
    }

    /// The unit of the times is a millisecond, or an MPEG frame, of which the first one shows the length
    /// and how many of it there are in a second.
    private static func unit(_ format: UInt8, _ read: TagLength.Reader) -> (length: Int, rate: Int)?
    {
        if format == 2 { return (1, 1000) }
        guard format == 1, let header = MPEGFrameHeader(read(TagLength.leading(from: 0, read), 4))
        else { return nil }
        return (header.sampleCount, header.sampleRate)
    }
}
