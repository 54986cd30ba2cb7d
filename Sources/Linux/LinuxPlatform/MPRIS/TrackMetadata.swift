/// The metadata of a track.
package struct TrackMetadata: Hashable, Sendable {
    /// The path that stands for no track.
    package static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    /// The object path, unique within the player.
    package var id: String
    /// The length in microseconds; nil if unknown.
    package var length: Int64?
    package var title: String?
    package var artists: [String] = []
    package var album: String?
    package var albumArtists: [String] = []
    package var composers: [String] = []
    package var genres: [String] = []
    package var comments: [String] = []
    /// The track number, from 1.
    package var number: Int32?
    /// The disc number, from 1.
    package var disc: Int32?
    /// The time at which it was created, in ISO 8601.
    package var created: String?
    /// The rating by the user, from 0 to 1; nil for none.
    package var rating: Double?
    /// The number of times that it was played; nil if unknown.
    package var playCount: Int32?
    /// The time when it was last played, in ISO 8601.
    package var lastPlayed: String?
    package var url: String?
    package var artURL: String?

    package init(id: String) { self.id = id }

    /// The MPRIS value.
    package var value: BusValue { .dictionary(fields) }

    private var fields: [String: BusValue] {
        var fields: [String: BusValue] = ["mpris:trackid": .objectPath(id)]
        fields["mpris:length"] = length.map { .int64($0) }
        fields["mpris:artUrl"] = artURL.map { .string($0) }
        fields["xesam:title"] = title.map { .string($0) }
        fields["xesam:artist"] = Self.list(artists)
        fields["xesam:album"] = album.map { .string($0) }
        fields["xesam:albumArtist"] = Self.list(albumArtists)
        fields["xesam:composer"] = Self.list(composers)
        fields["xesam:genre"] = Self.list(genres)
        fields["xesam:comment"] = Self.list(comments)
        fields["xesam:trackNumber"] = number.map { .int32($0) }
        fields["xesam:discNumber"] = disc.map { .int32($0) }
        fields["xesam:contentCreated"] = created.map { .string($0) }
        fields["xesam:userRating"] = rating.map { .double($0) }
        fields["xesam:useCount"] = playCount.map { .int32($0) }
        fields["xesam:lastUsed"] = lastPlayed.map { .string($0) }
        fields["xesam:url"] = url.map { .string($0) }
        return fields
    }

    private static func list(_ texts: [String]) -> BusValue? {
        texts.isEmpty ? nil : .strings(texts)
    }
}
