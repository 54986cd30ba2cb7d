import Playback

/// Everything that the tags of a file say, as it stands there: for those who ask for more than a
/// `MediaDescription` has. It is read each time and kept nowhere.
package struct MediaTags: Sendable {
    /// One frame of text.
    package struct Text: Equatable, Sendable {
        /// The frame's name in ID3v2, such as `TIT2`. What ID3v1 says has such a name too.
        package let name: String
        /// What distinguishes it from others of that name: the description in `COMM` and `TXXX`.
        package let detail: String
        /// The text.
        package let text: String
    }

    /// One attached picture, an `APIC` frame.
    package struct Picture: Equatable, Sendable {
        /// What it shows: 3 is the front cover.
        package let kind: Int
        /// For example `image/jpeg`.
        package let mediaType: String
        /// What the tag says of it; mostly nothing.
        package let detail: String
        /// The file of the picture.
        package let data: [UInt8]
    }

    /// The texts, each name and detail once.
    package private(set) var texts: [Text] = []
    /// The pictures, in their order.
    package internal(set) var pictures: [Picture] = []

    /// Adds a text, unless one of its name is there: ID3v1, whose fields are short, comes last.
    mutating func add(_ text: Text) {
        let isYear = text.name == "TYER"
        let isKnown = texts.contains { known in
            (known.name == text.name && known.detail == text.detail)
                || (isYear && known.name == "TDRC")
        }
        if !isKnown && !text.text.isEmpty { texts.append(text) }
    }
}
