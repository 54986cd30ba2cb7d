import UndersongLibrary

/// The tags of MPD's protocol, in the order in which `tagtypes` lists them. The raw value is the name
/// in answers; in commands, its case does not matter.
enum MPDTag: String, CaseIterable, Sendable {
    case artist = "Artist"
    case artistSort = "ArtistSort"
    case album = "Album"
    case albumSort = "AlbumSort"
    case albumArtist = "AlbumArtist"
    case albumArtistSort = "AlbumArtistSort"
    case title = "Title"
    case track = "Track"
    case name = "Name"
    case genre = "Genre"
    case date = "Date"
    case originalDate = "OriginalDate"
    case composer = "Composer"
    case composerSort = "ComposerSort"
    case performer = "Performer"
    case conductor = "Conductor"
    case work = "Work"
    case movement = "Movement"
    case movementNumber = "MovementNumber"
    case ensemble = "Ensemble"
    case location = "Location"
    case grouping = "Grouping"
    case disc = "Disc"
    case label = "Label"
    case musicbrainzArtist = "MUSICBRAINZ_ARTISTID"
    case musicbrainzAlbum = "MUSICBRAINZ_ALBUMID"
    case musicbrainzAlbumArtist = "MUSICBRAINZ_ALBUMARTISTID"
    case musicbrainzTrack = "MUSICBRAINZ_TRACKID"
    case musicbrainzReleaseTrack = "MUSICBRAINZ_RELEASETRACKID"
    case musicbrainzWork = "MUSICBRAINZ_WORKID"
    /// Known by its name, but in no answer, as MPD has it by default.
    case comment = "Comment"

    /// The tags that answers contain, and `tagtypes` lists.
    static let listed = allCases.filter { $0 != .comment }

    /// The tag with a name in any case; nil if there is none.
    init?(name: some StringProtocol) {
        let name = name.lowercased()
        guard let tag = Self.byName[name] else { return nil }
        self = tag
    }

    private static let byName = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })

    /// The tags that stand for it in a song without it, the first one that the song has.
    var substitutes: [MPDTag] {
        switch self {
        case .albumArtist, .artistSort: [.artist]
        case .albumSort: [.album]
        case .albumArtistSort: [.albumArtist, .artistSort, .artist]
        default: []
        }
    }

    /// The field of the library that has its texts; nil if no single one does.
    var field: LibraryQuery.TextField? {
        switch self {
        case .artist: .artist
        case .album: .album
        case .title: .title
        case .genre: .genre
        case .composer: .composer
        case .performer: .performer
        case .conductor: .conductor
        case .work: .work
        case .movement: .movement
        case .ensemble: .ensemble
        case .location: .location
        case .grouping: .grouping
        case .label: .label
        case .comment: .comment
        case .musicbrainzArtist: .musicbrainzArtist
        case .musicbrainzAlbum: .musicbrainzAlbum
        case .musicbrainzAlbumArtist: .musicbrainzAlbumArtist
        case .musicbrainzTrack: .musicbrainzTrack
        case .musicbrainzReleaseTrack: .musicbrainzReleaseTrack
        case .musicbrainzWork: .musicbrainzWork
        case .artistSort, .albumSort, .albumArtist, .albumArtistSort, .track, .name, .date,
            .originalDate, .composerSort, .movementNumber, .disc:
            nil
        }
    }
}

extension TrackTags {
    /// The texts of a tag of MPD's.
    func texts(of tag: MPDTag) -> [String] {
        switch tag {
        case .artist: artists
        case .artistSort: [artistSort].compactMap(\.self)
        case .album: [album].compactMap(\.self)
        case .albumSort: [albumSort].compactMap(\.self)
        case .albumArtist: albumArtists
        case .albumArtistSort: [albumArtistSort].compactMap(\.self)
        case .title: [title].compactMap(\.self)
        case .track: [number].compactMap { $0.map(String.init) }
        case .name: []
        case .genre: genres
        case .date: [date].compactMap(\.self)
        case .originalDate: [originalDate].compactMap(\.self)
        case .composer: composers
        case .disc: [disc].compactMap { $0.map(String.init) }
        case .composerSort, .performer, .conductor, .work, .movement, .movementNumber, .ensemble,
            .location, .grouping, .label, .comment, .musicbrainzArtist, .musicbrainzAlbum,
            .musicbrainzAlbumArtist, .musicbrainzTrack, .musicbrainzReleaseTrack, .musicbrainzWork:
            others[tag.rawValue] ?? []
        }
    }
}

extension MPDTag {
    /// The tag with a name.
    ///
    /// - Throws: There is none.
    init(known name: String) throws(MPDError) {
        guard let tag = MPDTag(name: name) else {
            throw MPDError(.argument, "Unknown tag type: \(name)")
        }
        self = tag
    }
}
