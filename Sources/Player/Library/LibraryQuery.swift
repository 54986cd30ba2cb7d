package import UndersongBase

/// What to find in the library or the queue: `artist:Björk album:"Homogenic" year:1995.. -live`.
///
/// Words and conditions that follow each other must all hold, `OR` between two of them is weaker, and
/// parentheses group. Texts are compared without case and diacritics (`String.folded`). A query that
/// names `sort:` or `limit:` is a list of its own.
package struct LibraryQuery: Hashable, Sendable {
    /// What a track must fulfil; nil for every track.
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

    /// A condition.
    package indirect enum Condition: Hashable, Sendable {
        case all([Condition])
        case any([Condition])
        case not(Condition)
        /// The folded text occurs in the path, title, artists, album artists or album.
        case word(String)
        case text(TextField, TextComparison, String)
        case number(NumberField, ClosedRange<Double>)
        /// The time is in the range, in seconds since 1970; `never:played` is the absence.
        case time(TimeField, ClosedRange<Double>)
        case flag(Flag)
    }

    /// Fields that contain text. A field with several texts matches if one of them does.
    package enum TextField: String, CaseIterable, Sendable {
        case title, artist, albumartist, album, genre, composer, path, format
    }

    /// Ways to compare texts.
    package enum TextComparison: Hashable, Sendable {
        /// `artist:björk`: the text occurs in the field.
        case contains
        /// `artist:=björk`: the field is the text.
        case equals
        /// `artist:^bj`: the field begins with the text.
        case begins
    }

    /// Fields that are numbers: `year:1995..2000`, `rating:4..`, `length:..3m`.
    package enum NumberField: String, CaseIterable, Sendable {
        case year, disc, track, rating, plays, skips, length, samplerate, channels, bitrate
    }

    /// Fields that are times: `added:30d` is the last 30 days, `played:2026-01..`.
    package enum TimeField: String, CaseIterable, Sendable { case added, modified, played }

    /// Properties: `is:favourite`, `is:unplayed`, `is:unrated`, `is:compilation`, `is:missing`,
    /// `has:cover`.
    package enum Flag: String, CaseIterable, Sendable {
        case favourite, unplayed, unrated, compilation, missing, cover
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
