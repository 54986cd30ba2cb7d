import UndersongBase
import UndersongCommandOptions
import UndersongLibrary

/// The template of `library tracks --format`.
struct TrackTemplate: Sendable {
    /// A name in braces.
    enum Field: String, CaseIterable {
        case artist, title, album, albumartist, composer, genre, disc, track, date, year, name
        case duration, rating, favourite, plays, skips, added, played, path, id
    }

    private let template: Template<Field>

    /// Parses a template.
    ///
    /// - Throws: an error if a name is unknown, or a brace or bracket is not closed.
    init(_ text: String) throws { template = try Template(text) }

    /// The text for a track, on one line.
    func text(_ track: Track) -> String { template.text { Self.value(of: $0, track) } }

    private static func value(of field: Field, _ track: Track) -> String? {
        let tags = track.tags
        return switch field {
        case .artist: tags.artist
        case .title: track.title
        case .album: tags.album
        case .albumartist: tags.albumArtist
        case .composer: TrackTags.text(tags.composers)
        case .genre: TrackTags.text(tags.genres)
        case .disc: tags.disc.map(String.init)
        case .track: tags.number.map(String.init)
        case .date: tags.date
        case .year: tags.year
        case .name: track.name
        case .duration: track.sound?.seconds.map { ClockText.text($0) }
        case .rating: track.rating.map(String.init)
        case .favourite: track.isFavourite ? "favourite" : nil
        case .plays: String(track.playCount)
        case .skips: String(track.skipCount)
        case .added: LibraryText.minute(track.added)
        case .played: track.lastPlayed.map(LibraryText.minute)
        case .path: track.path.description
        case .id: String(track.id)
        }
    }
}

/// The template of `library albums --format` and its like.
struct GroupTemplate: Sendable {
    /// A name in braces.
    enum Field: String, CaseIterable {
        case name, artist, year, tracks, duration, added, query
    }

    private let template: Template<Field>

    /// Parses a template.
    ///
    /// - Throws: an error if a name is unknown, or a brace or bracket is not closed.
    init(_ text: String) throws { template = try Template(text) }

    /// The text for a group, on one line.
    func text(_ group: LibraryGroup) -> String { template.text { Self.value(of: $0, group) } }

    private static func value(of field: Field, _ group: LibraryGroup) -> String? {
        switch field {
        case .name: group.name
        case .artist: group.artist
        case .year: group.year.map(String.init)
        case .tracks: String(group.trackCount)
        case .duration: ClockText.text(group.seconds)
        case .added: LibraryText.minute(group.added)
        case .query: group.query
        }
    }
}
