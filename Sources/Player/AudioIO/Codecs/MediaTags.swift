package import UndersongPlayback

/// All tags of a file, unchanged, for callers that need more than `MediaDescription` has. They are
/// read each time and not cached.
package struct MediaTags: Sendable {
    /// A text frame.
    package struct Text: Equatable, Sendable {
        /// The frame's name in ID3v2, such as `TIT2`. ID3v1 fields get such names too.
        package let name: String
        /// The property that distinguishes it from others of that name: the description in `COMM`
        /// and `TXXX`.
        package let detail: String
        /// The text.
        package let text: String
    }

    /// An attached picture, an `APIC` frame.
    package struct Picture: Equatable, Sendable {
        /// The picture type: 3 is the front cover.
        package let kind: Int
        /// For example `image/jpeg`.
        package let mediaType: String
        /// The tag's description of it; usually empty.
        package let detail: String
        /// The contents of the picture file.
        package let data: [UInt8]
    }

    /// The most texts: each is compared with those before it.
    private static let mostTexts = 4096

    /// The texts; each combination of name and detail occurs once.
    package private(set) var texts: [Text] = []
    /// The pictures, in their order.
    package internal(set) var pictures: [Picture] = []
    /// The words of the song in an ID3v2 tag at the start of the file.
    package internal(set) var lyrics = TaggedLyrics()

    /// Adds a text unless there is one of its name: ID3v1, whose fields are short, is read last.
    mutating func add(_ text: Text) {
        guard texts.count < Self.mostTexts else { return }
        let isYear = text.name == "TYER"
        let isKnown = texts.contains { known in
            (known.name == text.name && known.detail == text.detail)
                || (isYear && known.name == "TDRC")
        }
        if !isKnown && !text.text.isEmpty { texts.append(text) }
    }
}
