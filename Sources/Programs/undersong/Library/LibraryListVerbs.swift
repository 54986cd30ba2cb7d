import ArgumentParser
import UndersongBase
import UndersongCommandOptions
import UndersongLibrary
import UndersongPlayback

/// The verbs of `library` that list what a query finds.
extension LibraryVerb {
    struct Artists: GroupVerb {
        static let grouping = LibraryGrouping.artist
        static let configuration = described(
            "artists", "List the artists of albums.", discussion: GroupOptions.help)
        @OptionGroup var group: GroupOptions
    }

    struct Albums: GroupVerb {
        static let grouping = LibraryGrouping.album
        static let configuration = described(
            "albums", "List the albums.", discussion: GroupOptions.help)
        @OptionGroup var group: GroupOptions
    }

    struct Genres: GroupVerb {
        static let grouping = LibraryGrouping.genre
        static let configuration = described(
            "genres", "List the genres.", discussion: GroupOptions.help)
        @OptionGroup var group: GroupOptions
    }

    struct Years: GroupVerb {
        static let grouping = LibraryGrouping.year
        static let configuration = described(
            "years", "List the years.", discussion: GroupOptions.help)
        @OptionGroup var group: GroupOptions
    }

    struct Composers: GroupVerb {
        static let grouping = LibraryGrouping.composer
        static let configuration = described(
            "composers", "List the composers.", discussion: GroupOptions.help)
        @OptionGroup var group: GroupOptions
    }

    struct Tracks: Verb {
        static let configuration = described(
            "tracks", "List the tracks.", discussion: TrackOptions.help)
        @OptionGroup var found: QueryArguments
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Sort by this, such as title, -year (latest first) or random.", valueName: "key"),
            completion: .list(LibraryQuery.Order.Key.allCases.map(\.rawValue)),
            transform: Self.order)
        var by: LibraryQuery.Order?
        @Option(help: ArgumentHelp("List at most this many.", valueName: "count")) var limit: Int?
        @OptionGroup var output: TrackOptions
        @OptionGroup var options: SessionOptions

        func validate() throws { try output.check(options, limit: limit) }

        func perform() throws {
            let purpose = "list the tracks"
            var query = try output.query(found, to: purpose)
            if let by { query = query.ordered(by: by.key, isDescending: by.isDescending) }
            let service = try options.service(to: purpose)
            try output.show(query, limit: limit, from: LibraryPages(service: service), options)
        }

        private static func order(_ text: String) throws -> LibraryQuery.Order {
            let isDescending = text.hasPrefix("-")
            let word = try chosen(
                isDescending ? String(text.dropFirst()) : text,
                among: LibraryQuery.Order.Key.allCases.map(\.rawValue))
            guard let key = LibraryQuery.Order.Key(rawValue: word) else {
                throw ValidationError("'\(text)' is not an order")
            }
            return LibraryQuery.Order(key, isDescending: isDescending)
        }
    }
}

/// A verb that lists groups of tracks.
protocol GroupVerb: Verb {
    /// The property that the tracks are grouped by.
    static var grouping: LibraryGrouping { get }
    var group: GroupOptions { get }
}

extension GroupVerb {
    func perform() throws {
        let purpose = "list the \(Self.grouping.rawValue)s"
        let query = try group.found.query(to: purpose)
        let service = try group.options.service(to: purpose)
        try group.output.show(
            by: Self.grouping, query.text, newestFirst: group.by == .added, limit: group.limit,
            from: LibraryPages(service: service), group.options)
    }
}

/// The options of a verb that lists groups.
struct GroupOptions: ParsableArguments {
    /// The order of groups.
    enum Order: String, Choice { case name, added }

    static let help =
        "\(QueryArguments.help)\n\n\(Template<GroupTemplate.Field>.help)\n\n"
        + FoundStatus.help

    @OptionGroup var found: QueryArguments
    @Option(
        choice: ArgumentHelp(
            "Sort by name (the default), or by added, latest first.", valueName: "name|added"))
    var by = Order.name
    @Option(help: ArgumentHelp("List at most this many.", valueName: "count")) var limit: Int?
    @Option(help: ArgumentHelp("Print a line for each by this template.", valueName: "template"))
    var format: String?
    @OptionGroup var options: SessionOptions

    /// The form of the list.
    var output: GroupOutput { GroupOutput(format: format) }

    func validate() throws { try output.check(options, limit: limit) }
}

/// The exit status of verbs that list what is found, for help texts.
enum FoundStatus {
    static let help = "Exit status: 1 if nothing is found."

    /// Checks the options that verbs which list have in common.
    static func check(_ format: String?, _ options: SessionOptions, limit: Int?) throws {
        if format != nil, options.json {
            throw ValidationError("--format cannot be combined with --json.")
        }
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }
}

/// The form in which groups are listed.
struct GroupOutput {
    /// The template; nil for texts in columns.
    var format: String?

    func check(_ options: SessionOptions, limit: Int?) throws {
        try FoundStatus.check(format, options, limit: limit)
        _ = try format.map { try GroupTemplate($0) }
    }

    /// Lists groups. `lead` is what each line begins with, unless there is a template.
    func show(
        by grouping: LibraryGrouping, _ query: String, newestFirst: Bool = false, limit: Int?,
        from pages: LibraryPages, _ options: SessionOptions,
        lead: (LibraryGroup) -> String = { _ in "" }
    ) throws {
        var all = LibraryGroups(groups: [], count: 0)
        var (shownCount, unnamedCount) = (0, 0)
        let template = try format.map { try GroupTemplate($0) }
        try pages.groups(by: grouping, query, newestFirst: newestFirst, limit: limit) { page in
            (all.count, all.gap) = (page.count, page.gap)
            shownCount += page.groups.count
            unnamedCount += page.groups.count { $0.name == nil }
            if options.json { return all.groups += page.groups }
            let lines =
                template.map { page.groups.map($0.text) }
                ?? LibraryText.groups(page.groups, by: grouping, lead: lead)
            if !lines.isEmpty { writeOutput(lines.joined(separator: "\n") + "\n") }
        }
        if options.json {
            options.show(all) { _ in "" }
        } else if template == nil {
            let isPart = shownCount < all.count
            let unknown = isPart ? try pages.unnamedCount(by: grouping, query) : unnamedCount
            let sum = LibraryText.sum(all.count - unknown, of: grouping)
            writeOutput(
                (shownCount == 0
                    ? "no matches" : isPart ? "\(shownCount - unnamedCount) of \(sum)" : sum)
                    + "\n")
        }
        LibraryPages.explain(all.gap)
        if shownCount == 0 { throw ExitCode(1) }
    }
}

/// The form in which tracks are listed, or that they are played.
struct TrackOptions: ParsableArguments {
    static let help =
        "\(QueryArguments.help)\n\n\(Template<TrackTemplate.Field>.help)\n\n"
        + FoundStatus.help

    @Option(help: ArgumentHelp("Print a line for each by this template.", valueName: "template"))
    var format: String?
    @Flag(
        help: """
            Print the paths alone, each with a zero byte after it, as 'xargs -0' and --files-from read \
            them.
            """)
    var null = false
    @Flag(help: "Play them, as 'undersong play' does.") var play = false
    @Flag(help: "With --play, start playing and return; needs background audio.")
    var detach = false
    @Flag(help: "Add them to the end of the queue.") var add = false

    func check(_ options: SessionOptions, limit: Int?) throws {
        try FoundStatus.check(format, options, limit: limit)
        _ = try format.map { try TrackTemplate($0) }
        if null, options.json || format != nil {
            throw ValidationError("--null cannot be combined with --json or --format.")
        }
        if play, add { throw ValidationError("Give --play or --add, not both.") }
        if play || add, format != nil || null {
            throw ValidationError("--play and --add do not go with --format or --null.")
        }
        if detach, !play { throw ValidationError("--detach needs --play.") }
        if play, options.json {
            throw ValidationError("--json cannot be combined with --play.")
        }
    }

    /// The query that is given. One that is empty, as a script's variable may be, does not stand for
    /// all tracks if they are played or added. `purpose` names the operation in errors.
    func query(_ found: QueryArguments, to purpose: String) throws -> CheckedQuery {
        let query = try found.query(to: purpose)
        if isUse, !found.words.isEmpty, query.isEmpty {
            throw Failure("cannot \(purpose): The query is empty", status: 64)
        }
        return query
    }

    /// Lists the tracks that a query finds, or plays or adds them. `lead` is what each line begins
    /// with, unless there is a template.
    func show(
        _ query: CheckedQuery, limit: Int?, from pages: LibraryPages, _ options: SessionOptions,
        lead: (Track) -> String = { _ in "" }
    ) throws {
        if isUse {
            let list = try pages.tracksToPlay(query, limit: limit)
            guard !list.tracks.isEmpty else { return try reportNone(list.gap) }
            return try use(list.tracks, options)
        }
        var all = TrackList(tracks: [], count: 0, seconds: 0)
        var shownCount = 0
        try pages.tracks(query.text, limit: limit) { page in
            (all.count, all.seconds, all.gap) = (page.count, page.seconds, page.gap)
            shownCount += page.tracks.count
            if options.json { return all.tracks += page.tracks }
            try write(page.tracks, lead)
        }
        if options.json { options.show(all) { _ in "" } }
        guard shownCount > 0 else {
            return try reportNone(all.gap, isSilent: options.json || isForPrograms)
        }
        if !options.json, !isForPrograms {
            let sum = LibraryText.sum(all)
            writeOutput((shownCount < all.count ? "\(shownCount) of \(sum)" : sum) + "\n")
        }
        LibraryPages.explain(all.gap)
    }

    /// Lists tracks that were found already, or plays or adds them.
    func show(_ list: TrackList, _ options: SessionOptions) throws {
        guard !list.tracks.isEmpty else {
            if options.json { options.show(list) { _ in "" } }
            return try reportNone(list.gap, isSilent: options.json || isForPrograms)
        }
        if isUse { return try use(list.tracks, options) }
        if options.json { return options.show(list) { _ in "" } }
        try write(list.tracks) { _ in "" }
        if !isForPrograms { writeOutput(LibraryText.sum(list) + "\n") }
    }

    /// True if tracks are played or added instead of listed.
    var isUse: Bool { play || add }

    /// True if nothing but a line or path for each track is written.
    private var isForPrograms: Bool { format != nil || null }

    private func write(_ tracks: [Track], _ lead: (Track) -> String) throws {
        if null { return writeOutput(tracks.flatMap { $0.path.bytes + [0] }) }
        let lines =
            try format.map { tracks.map(try TrackTemplate($0).text) }
            ?? LibraryText.tracks(tracks, lead: lead)
        if !lines.isEmpty { writeOutput(lines.joined(separator: "\n") + "\n") }
    }

    private func reportNone(_ gap: Open<LibraryGap>?, isSilent: Bool = false) throws {
        if !isSilent { writeOutput("no matches\n") }
        LibraryPages.explain(gap)
        throw ExitCode(1)
    }

    /// Plays or adds tracks.
    private func use(_ tracks: [Track], _ options: SessionOptions) throws {
        let files = Files(tracks: tracks.map(\.id))
        if add {
            return try QueueEdit("add to the queue", options).add(files) { AddToQueue($1) }
        }
        let arguments = (detach ? ["--detach"] : []) + ["--session", options.session]
        var run = try PlayVerb.parse(arguments).run
        run.request.files = files
        run.request.output = PlayRun.usualOutput
        if detach { try run.start() } else { try run.perform() }
    }
}
