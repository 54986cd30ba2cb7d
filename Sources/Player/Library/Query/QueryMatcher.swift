package import UndersongBase

/// Compares tracks with a query, as the library's database does.
package struct QueryMatcher: Sendable {
    /// A condition with folded texts and with times in seconds since 1970.
    private indirect enum Test: Sendable {
        case all([Test])
        case any([Test])
        case not(Test)
        case word([UInt8])
        case text(LibraryQuery.TextField, LibraryQuery.TextComparison, [UInt8])
        case number(LibraryQuery.NumberField, ClosedRange<Double>)
        case time(LibraryQuery.TimeField, ClosedRange<Double>)
        case flag(LibraryQuery.Flag)
    }

    private let test: Test

    /// - Parameter query: Without saved queries, which no track fulfils.
    package init(_ query: LibraryQuery, now: Double, zone: LocalZone) {
        func test(_ condition: LibraryQuery.Condition) -> Test {
            switch condition {
            case .all(let conditions): .all(conditions.map(test))
            case .any(let conditions): .any(conditions.map(test))
            case .not(let condition): .not(test(condition))
            case .word(let text): .word(Array(text.folded.utf8))
            case .text(let field, let comparison, let text):
                .text(field, comparison, Array(text.folded.utf8))
            case .number(let field, let range): .number(field, range)
            case .time(let field, let range):
                range.seconds(now: now, zone: zone).map { .time(field, $0) } ?? .any([])
            case .flag(let flag): .flag(flag)
            case .saved: .any([])
            }
        }
        self.test = query.condition.map(test) ?? .all([])
    }

    /// True if the track fulfils the condition of the query.
    package func matches(_ track: Track) -> Bool { Self.holds(test, of: track) }

    private static func holds(_ test: Test, of track: Track) -> Bool {
        switch test {
        case .all(let tests): tests.allSatisfy { holds($0, of: track) }
        case .any(let tests): tests.contains { holds($0, of: track) }
        case .not(let test): !holds(test, of: track)
        case .word(let word):
            track.searchedTexts.contains { $0.folded.utf8.contains(word) }
        case .text(let field, let comparison, let text):
            holds(comparison, text, of: track.texts(of: field))
        case .number(let field, let range):
            track.number(of: field).map { range.contains($0) } ?? false
        case .time(let field, let range):
            track.time(of: field).map { range.contains($0) } ?? false
        case .flag(let flag): track.has(flag)
        }
    }

    private static func holds(
        _ comparison: LibraryQuery.TextComparison, _ text: [UInt8], of texts: [String]
    ) -> Bool {
        switch comparison {
        case .contains: texts.contains { $0.folded.utf8.contains(text) }
        case .begins: texts.contains { $0.folded.utf8.starts(with: text) }
        case .equals:
            text.isEmpty && texts.isEmpty
                || texts.contains { $0.folded.utf8.elementsEqual(text) }
        }
    }
}

// MARK: - The fields of a track

extension Track {
    /// The artists by which its album is listed: those of the album, "Various Artists" of a
    /// compilation that names none, or else its own.
    package var albumArtists: [String] {
        if !tags.albumArtists.isEmpty { return tags.albumArtists }
        return tags.isCompilation ? ["Various Artists"] : tags.artists
    }

    /// The year of its release, or else of the first one; nil if unknown.
    package var year: Int? {
        [tags.date, tags.originalDate].lazy
            .compactMap { $0.flatMap { Int(digits: $0.prefix(4), at: 4) } }.first
    }

    /// The texts in which a word is found.
    package var searchedTexts: [String] {
        [path.description] + [tags.title, tags.album].compactMap { $0 } + tags.artists
            + albumArtists
    }

    /// The texts of a field, as they are written.
    package func texts(of field: LibraryQuery.TextField) -> [String] {
        switch field {
        case .title: tags.title.map { [$0] } ?? []
        case .artist: tags.artists
        case .albumartist: albumArtists
        case .album: tags.album.map { [$0] } ?? []
        case .genre: tags.genres
        case .composer: tags.composers
        case .path: [path.description]
        case .format: sound.map { [$0.format.encoding] } ?? []
        case .date: tags.date.map { [$0] } ?? []
        case .performer, .conductor, .work, .ensemble, .movement, .grouping, .comment, .label,
            .mood, .location, .musicbrainzArtist, .musicbrainzAlbum, .musicbrainzAlbumArtist,
            .musicbrainzTrack, .musicbrainzReleaseTrack, .musicbrainzReleaseGroup,
            .musicbrainzWork:
            field.otherTag.flatMap { tags.others[$0] } ?? []
        }
    }

    /// The number in a field; nil if it is unknown.
    package func number(of field: LibraryQuery.NumberField) -> Double? {
        switch field {
        case .year: year.map(Double.init)
        case .disc: tags.disc.map(Double.init)
        case .track: tags.number.map(Double.init)
        case .rating: Double(rating ?? 0)
        case .plays: Double(playCount)
        case .skips: Double(skipCount)
        case .length: sound?.seconds?.rounded(.down)
        case .samplerate: sound.map { Double($0.format.sampleRate) }
        case .channels: sound.map { Double($0.format.channels) }
        case .bitrate: sound?.bitRate.map { Double($0 / 1000) }
        }
    }

    /// The time in a field, in seconds since 1970; nil if it is unknown.
    package func time(of field: LibraryQuery.TimeField) -> Double? {
        switch field {
        case .added: added
        case .modified: modified
        case .played: lastPlayed
        }
    }

    /// True if it has the property.
    package func has(_ flag: LibraryQuery.Flag) -> Bool {
        switch flag {
        case .favourite: isFavourite
        case .unplayed: playCount == 0 && lastPlayed == nil
        case .unrated: rating == nil
        case .compilation: tags.isCompilation
        case .missing: missingSince != nil
        case .cover: tags.hasCover
        }
    }
}
