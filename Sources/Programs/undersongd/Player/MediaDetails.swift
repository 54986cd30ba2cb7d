package import UndersongBase
import UndersongPlayback

/// The known facts about a file.
package struct MediaDetails: Hashable, Sendable {
    /// Its tags by lower-case names, as in `MediaDescription`.
    package var tags: [String: String] = [:]
    /// Its picture: the one in it, else one in the same folder that is called as pictures of albums
    /// are.
    package var artwork: Artwork?

    package init(tags: [String: String] = [:], artwork: Artwork? = nil) {
        self.tags = tags
        self.artwork = artwork
    }
}

/// An item's picture.
package enum Artwork: Hashable, Sendable {
    /// A file beside the item's own.
    case file(FilePath)
    /// A picture in the item's file, as bytes of its media type: `image/jpeg`.
    case embedded([UInt8], mediaType: String)
}
