import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongLibrary
import UndersongPlayback

/// The verbs of `library` that choose music by themselves.
extension LibraryVerb {
    /// Tracks, or groups of them.
    enum Unit: String, Choice {
        case track, album, artist, genre, year, composer

        /// The grouping; nil for single tracks.
        var grouping: LibraryGrouping? {
            switch self {
            case .track: nil
            case .album: .album
            case .artist: .artist
            case .genre: .genre
            case .year: .year
            case .composer: .composer
            }
        }
    }

    struct New: Verb {
        static let configuration = described(
            "new", "List what was added last, latest first.", discussion: QueryArguments.help)
        @OptionGroup var found: QueryArguments
        @Option(
            choice: ArgumentHelp(
                "What to list: album (the default), track, artist, genre, year or composer.",
                valueName: "unit"))
        var by = Unit.album
        @Option(help: ArgumentHelp("List at most this many.", valueName: "count")) var limit = 20
        @OptionGroup var output: TrackOptions
        @OptionGroup var options: SessionOptions

        func validate() throws {
            guard by.grouping != nil else { return try output.check(options, limit: limit) }
            guard !output.play, !output.add, !output.null else {
                throw ValidationError("--play, --add and --null go with --by track only.")
            }
            try GroupOutput(format: output.format).check(options, limit: limit)
        }

        func perform() throws {
            let purpose = "list what is new"
            let query = try output.query(found, to: purpose)
            let pages = LibraryPages(service: try options.service(to: purpose))
            guard let grouping = by.grouping else {
                return try output.show(
                    query.ordered(by: .added, isDescending: true), limit: limit, from: pages,
                    options
                ) { LibraryText.date($0.added) }
            }
            try GroupOutput(format: output.format).show(
                by: grouping, query.text, newestFirst: true, limit: limit, from: pages, options
            ) { LibraryText.date($0.added) }
        }
    }

    struct Random: Verb {
        static let configuration = described(
            "random", "List random tracks, or the tracks of random albums.",
            discussion: """
                \(QueryArguments.help)

                Examples:
                  undersong library random --play
                  undersong library random --by album --play
                  undersong library random --by album --add is:unplayed
                """)
        @OptionGroup var found: QueryArguments
        @Option(
            choice: ArgumentHelp(
                "What to choose: track (the default), album, artist, genre, year or composer.",
                valueName: "unit"))
        var by = Unit.track
        @Option(
            help: ArgumentHelp(
                "Choose this many; by default 20 tracks, or one of any other unit.",
                valueName: "count")
        )
        var limit: Int?
        @OptionGroup var output: TrackOptions
        @OptionGroup var options: SessionOptions

        func validate() throws { try output.check(options, limit: limit) }

        func perform() throws {
            let purpose = "choose from the library"
            let query = try output.query(found, to: purpose)
            let pages = LibraryPages(service: try options.service(to: purpose))
            guard let grouping = by.grouping else {
                return try output.show(
                    try pages.randomTracks(query, count: limit ?? 20, toPlay: output.isUse), options
                )
            }
            var generator = SystemRandomNumberGenerator()
            try output.show(
                try pages.tracksOfRandomGroups(
                    by: grouping, query, count: limit ?? 1, toPlay: output.isUse,
                    using: &generator),
                options)
        }
    }

    struct History: Verb {
        /// The order in which tracks are listed.
        enum Order: String, Choice { case played, plays, skips }

        static let configuration = described(
            "history", "List what you have heard, latest first, or most often.",
            discussion: """
                A track counts as played when half of it or 4 minutes were heard. 'undersong history' \
                lists everything that was heard, from the library or not.

                \(TrackOptions.help)
                """)
        @OptionGroup var found: QueryArguments
        @Option(
            choice: ArgumentHelp(
                "Sort by played (the default: when last), plays or skips (how often).",
                valueName: "played|plays|skips"))
        var by = Order.played
        @Option(help: ArgumentHelp("List at most this many.", valueName: "count")) var limit = 20
        @OptionGroup var output: TrackOptions
        @OptionGroup var options: SessionOptions

        func validate() throws { try output.check(options, limit: limit) }

        func perform() throws {
            let purpose = "show what was heard"
            let query = try output.query(found, to: purpose)
            let pages = LibraryPages(service: try options.service(to: purpose))
            try output.show(
                Self.query(query, by: by), limit: limit, from: pages, options
            ) { Self.lead($0, by: by) }
        }

        /// The query for those of what another one finds that were heard, or were skipped.
        static func query(_ query: CheckedQuery, by order: Order) -> CheckedQuery {
            switch order {
            case .played:
                query.adding(.number(.plays, 1...(.infinity)))
                    .ordered(by: .played, isDescending: true)
            case .plays:
                query.adding(.number(.plays, 1...(.infinity)))
                    .ordered(by: .plays, isDescending: true)
            case .skips:
                query.adding(.number(.skips, 1...(.infinity)))
                    .ordered(by: .skips, isDescending: true)
            }
        }

        private static func lead(_ track: Track, by order: Order) -> String {
            switch order {
            case .played: track.lastPlayed.map(LibraryText.minute) ?? ""
            case .plays: LibraryText.count(track.playCount, "play")
            case .skips: LibraryText.count(track.skipCount, "skip")
            }
        }
    }

    struct Similar: Verb {
        /// The property that the tracks share with the current item.
        enum Likeness: String, Choice { case artist, album, genre }

        static let configuration = described(
            "similar", "List more by the artist of the current item, its album, or its genre.",
            discussion: """
                Examples:
                  undersong library similar --add
                  undersong library similar --by album --play
                """)
        @Option(
            choice: ArgumentHelp(
                "What they have in common: artist (the default), album, genre.",
                valueName: "artist|album|genre"))
        var by = Likeness.artist
        @Option(help: ArgumentHelp("List at most this many.", valueName: "count")) var limit: Int?
        @OptionGroup var output: TrackOptions
        @OptionGroup var options: SessionOptions

        func validate() throws { try output.check(options, limit: limit) }

        func perform() throws {
            let purpose = "find similar tracks"
            let service = try options.service(to: purpose)
            let pages = LibraryPages(service: service)
            let status = try service.call(GetStatus())
            guard let item = status.item else {
                throw Failure("cannot \(purpose): There is no current item")
            }
            let track = try pages.track(of: item)
            guard let condition = Self.condition(by, track?.tags ?? TrackTags(status)) else {
                throw Failure("cannot \(purpose): The current item has no \(by.rawValue)")
            }
            try output.show(CheckedQuery(condition), limit: limit, from: pages, options)
        }

        /// The condition for what has something in common with these tags; nil if they lack it.
        static func condition(_ likeness: Likeness, _ tags: TrackTags) -> LibraryQuery.Condition? {
            switch likeness {
            case .artist:
                return any(.artist, tags.artists.isEmpty ? tags.albumArtists : tags.artists)
            case .genre: return any(.genre, tags.genres)
            case .album:
                guard let album = tags.album else { return nil }
                let isAlbum = LibraryQuery.Condition.text(.album, .equals, album)
                guard let artist = any(.albumartist, tags.albumArtists) else { return isAlbum }
                return .all([isAlbum, artist])
            }
        }

        private static func any(
            _ field: LibraryQuery.TextField, _ texts: [String]
        ) -> LibraryQuery.Condition? {
            let conditions = texts.map { LibraryQuery.Condition.text(field, .equals, $0) }
            return conditions.count > 1 ? .any(conditions) : conditions.first
        }
    }
}

extension TrackTags {
    /// Creates the tags of an item that is not in the library, from the status.
    fileprivate init(_ status: PlayerStatus) {
        self.init()
        artists = [status.item?.artist].compactMap(\.self)
        album = status.item?.album
        genres = [status.genre].compactMap(\.self)
    }
}

extension LibraryPages {
    /// The track that an item plays; nil if it is not in the library.
    func track(of item: ListedItem) throws -> Track? {
        let query = CheckedQuery(.text(.path, .equals, item.path))
        let start = item.start?.seconds ?? 0
        // The tracks of a CUE sheet have one path.
        return try allTracks(query.text, limit: FindTracks.limit).tracks.first { track in
            track.part.map { abs($0.start - start) < 0.01 } ?? true
        }
    }

    /// Random tracks that a query finds, `toPlay` or to list.
    func randomTracks(_ query: CheckedQuery, count: Int, toPlay: Bool) throws -> TrackList {
        let query = query.ordered(by: .random)
        var list =
            toPlay
            ? try tracksToPlay(query, limit: count) : try allTracks(query.text, limit: count)
        list.sumUp()
        return list
    }

    /// The tracks of random groups, one group after the other, `toPlay` or to list.
    func tracksOfRandomGroups(
        by grouping: LibraryGrouping, _ query: CheckedQuery, count: Int, toPlay: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws -> TrackList {
        let query = toPlay ? query.adding(.not(.flag(.missing))).text : query.text
        let first = try service.call(GroupTracks(by: grouping, QueryPage(query, limit: 1)))
        var list = TrackList(tracks: [], count: 0, seconds: 0, gap: first.gap)
        for index in RandomIndices.chosen(min(count, first.count), of: first.count, &generator) {
            let page = try service.call(
                GroupTracks(by: grouping, QueryPage(query, offset: index, limit: 1)))
            guard let group = page.groups.first else { continue }
            list.tracks += try allTracks(group.query + (toPlay ? " -is:missing" : "")).tracks
        }
        list.sumUp()
        return list
    }
}

/// A random choice.
enum RandomIndices {
    /// `count` different indices below `total`, in a random order.
    static func chosen(
        _ count: Int, of total: Int, _ generator: inout some RandomNumberGenerator
    ) -> [Int] {
        var chosen: [Int] = []
        var seen: Set<Int> = []
        // Floyd's method: each index that is there already is replaced by the largest one.
        for top in (total - count)..<total {
            let index = Int.random(in: 0...top, using: &generator)
            let new = seen.insert(index).inserted ? index : top
            seen.insert(new)
            chosen.append(new)
        }
        return chosen.shuffled(using: &generator)
    }
}

extension TrackList {
    /// Sets the number and the length to those of the tracks in it.
    fileprivate mutating func sumUp() {
        count = tracks.count
        seconds = tracks.reduce(0) { $0 + ($1.sound?.seconds ?? 0) }
    }
}
