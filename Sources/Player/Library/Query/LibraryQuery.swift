package import UndersongBase
package import UndersongPlayback

/// A search in the library or the queue: `artist:Björk album:"Homogenic" year:1995.. -live`.
///
/// Words and conditions that follow each other must all hold, `OR` between two of them is weaker, `-`
/// excludes, and parentheses group. Texts are compared without case and diacritics
/// (`String.folded`), and kept as they were written. `sort:` and `limit:` belong to the query as a
/// whole.
///
/// ```swift
/// let query = try LibraryQuery("artist:bjork (homogenic OR debut) -live sort:-year")
/// query.text                       // the same, which `init` understands
/// QueryMatcher(query, now: now).matches(track)
/// ```
package struct LibraryQuery: Hashable, Sendable {
    /// The condition on a track; nil for every track.
    package var condition: Condition?
    /// The order of what is found; empty for the library's own: album artist, date, album, disc,
    /// number, path.
    package var order: [Order] = []
    /// The most tracks that are found; nil for all.
    package var limit: Int?

    package init(_ condition: Condition? = nil, order: [Order] = [], limit: Int? = nil) {
        self.condition = condition
        self.order = order
        self.limit = limit
    }

    /// Parses the written form.
    ///
    /// - Throws: The first part that cannot be understood, and the reason.
    package init(_ text: String) throws(QueryError) {
        var parser = try QueryParser(text)
        self = try parser.parse()
    }

    /// Parses a query that is still being typed: an open quote or parenthesis ends with the text, and
    /// a `field:`, `OR` or `-` at the end has no effect yet.
    ///
    /// - Throws: The first part that cannot be understood, and the reason.
    package init(typed text: String) throws(QueryError) {
        var parser = try QueryParser(text, isTyped: true)
        self = try parser.parse()
    }

    /// The written form, from which `init(_:)` makes the same query. Lists of one condition become
    /// that condition.
    package var text: String { QueryWriter(self).text }

    /// True if the track fulfils the condition. To compare many tracks, use one `QueryMatcher`.
    package func matches(_ track: Track, now: Double, zone: LocalZone = .utc) -> Bool {
        QueryMatcher(self, now: now, zone: zone).matches(track)
    }

    /// A condition.
    package indirect enum Condition: Hashable, Sendable {
        /// All of them hold; of none, that is true.
        case all([Condition])
        /// At least one of them holds; of none, that is false.
        case any([Condition])
        case not(Condition)
        /// The text occurs in the path, the title, an artist, an artist of the album or the album.
        case word(String)
        case text(TextField, TextComparison, String)
        /// The number is in the range; one that is unknown is in none.
        case number(NumberField, ClosedRange<Double>)
        /// The time is in the range; one that is unknown is in none.
        case time(TimeField, TimeRange)
        case flag(Flag)
        /// The condition of the saved query with this name. `LibraryQuery.resolved` replaces it;
        /// otherwise it does not hold.
        case saved(String)
    }

    /// Fields that contain text. A field with several texts matches if one of them does.
    package enum TextField: String, CaseIterable, Sendable {
        case title, artist
        /// `Track.albumArtists`.
        case albumartist
        case album, genre, composer, path
        /// The encoding, such as `FLAC`.
        case format
        /// The date of release, as far as it is known: `1995-06-13`.
        case date
        case performer, conductor, work, ensemble, movement, grouping, comment, label, mood,
            location
        case musicbrainzArtist = "musicbrainz_artistid"
        case musicbrainzAlbum = "musicbrainz_albumid"
        case musicbrainzAlbumArtist = "musicbrainz_albumartistid"
        case musicbrainzTrack = "musicbrainz_trackid"
        case musicbrainzReleaseTrack = "musicbrainz_releasetrackid"
        case musicbrainzReleaseGroup = "musicbrainz_releasegroupid"
        case musicbrainzWork = "musicbrainz_workid"

        /// The key in `TrackTags.others` of a field that is only there.
        package var otherTag: String? {
            switch self {
            case .title, .artist, .albumartist, .album, .genre, .composer, .path, .format, .date:
                nil
            case .performer, .conductor, .work, .ensemble, .movement, .grouping, .comment, .label,
                .mood, .location:
                rawValue.prefix(1).uppercased() + rawValue.dropFirst()
            case .musicbrainzArtist, .musicbrainzAlbum, .musicbrainzAlbumArtist, .musicbrainzTrack,
                .musicbrainzReleaseTrack, .musicbrainzReleaseGroup, .musicbrainzWork:
                rawValue.uppercased()
            }
        }
    }

    /// Ways to compare texts.
    package enum TextComparison: Hashable, Sendable {
        /// `artist:björk`: the text occurs in the field.
        case contains
        /// `artist:=björk`: the field is the text. `artist:=""` finds what has no artist.
        case equals
        /// `artist:^bj`: the field begins with the text.
        case begins
    }

    /// Fields that are numbers: `year:1995..2000`, `rating:4..`, `length:..3m`. `Track.number(of:)`
    /// defines their values.
    package enum NumberField: String, CaseIterable, Sendable {
        case year, disc, track
        /// 0 if there is none.
        case rating
        case plays, skips
        /// Whole seconds, rounded down.
        case length
        /// Frames per second.
        case samplerate
        case channels
        /// Whole thousands of bits per second, rounded down.
        case bitrate
    }

    /// Fields that are times: `added:30d` is the last 30 days, `played:2026-01..`.
    package enum TimeField: String, CaseIterable, Sendable { case added, modified, played }

    /// Properties: `is:favourite`, `is:unplayed`, `is:unrated`, `is:compilation`, `is:missing`,
    /// `has:cover`.
    package enum Flag: String, CaseIterable, Sendable {
        case favourite
        /// It was not heard yet, by `Track.lastPlayed` and `Track.playCount`.
        case unplayed
        case unrated, compilation, missing, cover

        /// True for a part that a track has, rather than a property.
        var isPart: Bool { self == .cover }
        /// The written form.
        package var text: String { (isPart ? "has:" : "is:") + rawValue }
    }

    /// A field by which tracks are ordered: `sort:added`, `sort:-year`, `sort:random`.
    package struct Order: Hashable, Sendable {
        package enum Key: String, CaseIterable, Sendable {
            case title, artist, albumartist, album, genre, path, year, track, length, rating, plays,
                skips, added, modified, played, random
        }

        package var key: Key
        package var isDescending: Bool

        package init(_ key: Key, isDescending: Bool = false) {
            self.key = key
            self.isDescending = isDescending
        }
    }
}

/// The reason why a query cannot be understood.
package struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, such as `artits: is not a field; did you mean artist:?`.
    package var reason: String
    /// The part of the text, by the offsets of its characters; nil if the reason is another query.
    package var range: Range<Int>?

    package init(_ reason: String, at range: Range<Int>? = nil) {
        self.reason = reason
        self.range = range
    }

    /// The reason and the location, counted from 1.
    package var description: String {
        range.map { "\(reason) (at character \($0.lowerBound + 1))" } ?? reason
    }
}

// MARK: - The queue

extension LibraryQuery {
    /// The condition on items of the queue, of which only the title, the artist, the album and the
    /// path are known.
    ///
    /// - Throws: It is about something else, or it is a list of its own.
    package func itemCondition() throws(QueryError) -> ItemCondition {
        guard order.isEmpty, limit == nil else {
            throw QueryError(
                "the queue has an order of its own: sort: and limit: are for the library")
        }
        return try condition?.itemCondition() ?? .all([])
    }
}

extension LibraryQuery.Condition {
    fileprivate func itemCondition() throws(QueryError) -> ItemCondition {
        func conditions(
            _ conditions: [LibraryQuery.Condition]
        ) throws(QueryError) -> [ItemCondition] {
            var converted: [ItemCondition] = []
            for condition in conditions { converted.append(try condition.itemCondition()) }
            return converted
        }
        let unknown: String
        switch self {
        case .all(let list): return .all(try conditions(list))
        case .any(let list): return .any(try conditions(list))
        case .not(let condition): return .not(try condition.itemCondition())
        case .word(let text): return .text(nil, .contains, text.folded)
        case .text(let field, let comparison, let text):
            guard let known = field.itemField else {
                unknown = field.rawValue
                break
            }
            return .text(known, comparison.ofItems, text.folded)
        case .number(let field, _): unknown = field.rawValue
        case .time(let field, _): unknown = field.rawValue
        case .flag(let flag): unknown = flag.isPart ? "has" : "is"
        case .saved(let name): throw QueryError("@\(name) is about the library, not the queue")
        }
        throw QueryError(
            "the queue knows title:, artist:, album: and path: of its items, but not \(unknown):")
    }
}

extension LibraryQuery.TextField {
    /// The same of items; nil if it is not known of them.
    fileprivate var itemField: ItemCondition.Field? {
        switch self {
        case .title: .title
        case .artist: .artist
        case .album: .album
        case .path: .path
        case .albumartist, .genre, .composer, .format, .date, .performer, .conductor, .work,
            .ensemble, .movement, .grouping, .comment, .label, .mood, .location,
            .musicbrainzArtist, .musicbrainzAlbum, .musicbrainzAlbumArtist, .musicbrainzTrack,
            .musicbrainzReleaseTrack, .musicbrainzReleaseGroup, .musicbrainzWork:
            nil
        }
    }
}

extension LibraryQuery.TextComparison {
    fileprivate var ofItems: ItemCondition.Comparison {
        switch self {
        case .contains: .contains
        case .equals: .equals
        case .begins: .begins
        }
    }
}

// MARK: - Saved queries

extension LibraryQuery {
    /// The query with the conditions of the saved queries that it names. Alone, a saved query has its
    /// own order and limit, unless others are given.
    ///
    /// - Parameter saved: Returns the written form of a saved query; nil if there is none.
    /// - Throws: A name that is not known, a query that contains itself or cannot be understood, one
    ///   with a limit among other conditions, or more conditions than a query may have.
    package func resolved(_ saved: (String) -> String?) throws(QueryError) -> LibraryQuery {
        try withoutActuallyEscaping(saved) { saved throws(QueryError) in
            var resolver = SavedQueryResolver(query: saved)
            return try resolver.resolve(self)
        }
    }
}

/// Replaces the names of saved queries by their conditions.
private struct SavedQueryResolver {
    /// The most saved queries that may contain each other.
    private static let mostNested = 16

    let query: (String) -> String?
    /// The saved queries that are being resolved, each inside of the one before.
    private var names: [String] = []
    private var conditionCount = 0

    init(query: @escaping (String) -> String?) { self.query = query }

    mutating func resolve(_ query: LibraryQuery) throws(QueryError) -> LibraryQuery {
        guard let condition = query.condition else { return query }
        var resolved = query
        if case .saved(let name) = condition {
            resolved = try resolve(name)
            if !query.order.isEmpty { resolved.order = query.order }
            resolved.limit = query.limit ?? resolved.limit
        } else {
            resolved.condition = try resolve(condition)
        }
        return resolved
    }

    private mutating func resolve(
        _ condition: LibraryQuery.Condition
    ) throws(QueryError) -> LibraryQuery.Condition {
        switch condition {
        case .all(let conditions): return .all(try resolve(conditions))
        case .any(let conditions): return .any(try resolve(conditions))
        case .not(let condition): return .not(try resolve(condition))
        case .saved(let name):
            let query = try resolve(name)
            guard query.limit == nil else {
                throw QueryError("@\(name) has a limit, so it cannot be a part of a query")
            }
            return query.condition ?? .all([])
        case .word, .text, .number, .time, .flag:
            conditionCount += 1
            guard conditionCount <= QueryParser.mostConditions else {
                throw QueryError(
                    "more than \(QueryParser.mostConditions) conditions in its saved queries")
            }
            return condition
        }
    }

    private mutating func resolve(
        _ conditions: [LibraryQuery.Condition]
    ) throws(QueryError) -> [LibraryQuery.Condition] {
        var resolved: [LibraryQuery.Condition] = []
        for condition in conditions { resolved.append(try resolve(condition)) }
        return resolved
    }

    private mutating func resolve(_ name: String) throws(QueryError) -> LibraryQuery {
        guard !names.contains(name), names.count < Self.mostNested else {
            throw QueryError("the saved query @\(name) contains itself")
        }
        guard let text = query(name) else { throw QueryError("no saved query is called \(name)") }
        let saved: LibraryQuery
        do { saved = try LibraryQuery(text) } catch {
            throw QueryError("the saved query @\(name) cannot be understood: \(error)")
        }
        names.append(name)
        defer { names.removeLast() }
        return try resolve(saved)
    }
}
