package import Playback

/// Everything that the tags of a file say, as it stands there: for those who ask for more than a
/// `MediaDescription` tells. It is read anew each time and kept nowhere.
package struct MediaTags: Sendable {
    /// One frame of text.
    package struct Text: Equatable, Sendable {
        /// The frame's name in ID3v2, such as `TIT2`. What ID3v1 says has such a name too.
        package let name: String
        /// What tells it from others of that name: the description in `COMM` and `TXXX`.
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

    /// Pictures are not read out of a tag that is longer than so many bytes.
    private static let pictureLimit = 32 << 20

    /// The texts, each name and detail once.
    package private(set) var texts: [Text] = []
    /// The pictures, in their order.
    package private(set) var pictures: [Picture] = []

    /// Reads the tags of `source`. Blocks on the disk for some milliseconds.
    /// Errors: it cannot be opened.
    package init(_ source: MediaSource) throws(MediaError) {
        let file = try MediaFile(source)
        let hasRoom = id3v2Length(file.head(10)) <= Self.pictureLimit
        let handle = try Mpg123Handle(file, confirmsFrames: true)
        if hasRoom { handle.keepPictures() }
        // The tags are read on the way to the first frame.
        _ = handle.format()
        handle.forEachTag { add(Text(name: $0, detail: $1, text: $2)) }
        handle.forEachPicture { pictures.append($0) }
    }

    /// What comes later says nothing new: ID3v1, whose fields are short.
    private mutating func add(_ text: Text) {
        let isYear = text.name == "TYER"
        let isKnown = texts.contains { known in
            (known.name == text.name && known.detail == text.detail)
                || (isYear && known.name == "TDRC")
        }
        if !isKnown && !text.text.isEmpty { texts.append(text) }
    }
}
