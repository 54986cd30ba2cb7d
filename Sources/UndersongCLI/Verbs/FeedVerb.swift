import ArgumentParser
import CommandOptions
import Control
import Glibc
import Playback

/// `undersong feed`: podcasts.
struct FeedVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "Subscribe to podcasts, and download their episodes.",
        discussion: """
            A FEED is named by its number, its URL or its title. Episodes are downloaded by \
            undersong-transferd, as with undersong download: through lost connections, crashes and \
            restarts.

            Examples:
              undersong feed add https://example.org/feed.xml --auto newest:3 --queue end
              undersong feed refresh
              undersong feed episodes 1
              undersong feed download 12
              undersong feed export > podcasts.opml
            """,
        subcommands: [
            List.self, Add.self, Set.self, Remove.self, Refresh.self, Episodes.self,
            Download.self, Import.self, Export.self,
        ],
        defaultSubcommand: List.self)

    /// `undersong feed list`
    struct List: Verb {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the feeds (default).")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask(
                "show the feeds", ManageFeeds(.list), startsService: true, FeedText.feeds)
        }
    }

    /// `undersong feed add`
    struct Add: Verb {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Subscribe to a feed of RSS or Atom.",
            discussion: "Unless told otherwise, the latest three episodes are downloaded.")
        @Argument(help: "The URL of the feed.") var url: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.add)
            call.url = url
            try policy.apply(to: &call)
            try options.ask("add a feed", call, startsService: true, FeedText.added)
        }
    }

    /// `undersong feed set`
    struct Set: Verb {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change what happens with the episodes of a feed.")
        @Argument(help: "The feed.") var feed: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.set)
            call.feed = feed
            try policy.apply(to: &call)
            try options.ask("change a feed", call, startsService: true, FeedText.feeds)
        }
    }

    /// `undersong feed remove`
    struct Remove: Verb {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "End the subscription to a feed; its files stay.")
        @Argument(help: "The feed.") var feed: String
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.remove)
            call.feed = feed
            try options.ask("remove a feed", call, startsService: true) {
                "removed \(FeedText.names($0))"
            }
        }
    }

    /// `undersong feed refresh`
    struct Refresh: Verb {
        static let configuration = CommandConfiguration(
            commandName: "refresh", abstract: "Look for new episodes.",
            discussion: "Exit status: 1 if a feed cannot be read.")
        @Argument(help: "The feed; without one, all are read.") var feed: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.refresh)
            call.feed = feed
            let service = try Service(
                to: "refresh the feeds", session: options.session, startsService: true)
            let reply = try service.call(call)
            options.show(reply, FeedText.refreshed)
            if reply.problems?.contains(where: { $0.skipped == nil }) ?? false {
                throw ExitCode(1)
            }
        }
    }

    /// `undersong feed episodes`
    struct Episodes: Verb {
        static let configuration = CommandConfiguration(
            commandName: "episodes", abstract: "Show the episodes, latest first.")
        @Argument(help: "The feed; without one, those of all are shown.") var feed: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.episodes)
            call.feed = feed
            try options.ask("show the episodes", call, startsService: true, FeedText.episodes)
        }
    }

    /// `undersong feed download`
    struct Download: Verb {
        static let configuration = CommandConfiguration(
            commandName: "download", abstract: "Download an episode.")
        @Argument(help: "The number of the episode.") var episode: Int
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.download)
            call.episode = episode
            try options.ask(
                "download an episode", call, startsService: true, FeedText.episodes)
        }
    }

    /// `undersong feed import`
    struct Import: Verb {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Subscribe to the feeds of a list (OPML).",
            discussion: "They are read by the next undersong feed refresh.")
        @Argument(help: "The file.", completion: .file(extensions: ["opml", "xml"]))
        var file: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.import)
            try policy.apply(to: &call)
            let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                let reason = unsafe String(cString: strerror(errno))
                throw Failure("cannot import \(Columns.printable(file)): \(reason)")
            }
            defer { close(descriptor) }
            let service = try Service(
                to: "add the feeds", session: options.session, startsService: true)
            options.show(try service.call(call, descriptors: [descriptor]), FeedText.imported)
        }
    }

    /// `undersong feed export`
    struct Export: Verb {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Print the feeds as a list (OPML).")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("export the feeds", ManageFeeds(.export), startsService: true) {
                let text = $0.opml ?? ""
                return text.hasSuffix("\n") ? String(text.dropLast()) : text
            }
        }
    }
}

/// What happens with the episodes of a feed.
struct FeedPolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Download new episodes: the latest ones, all, or none.",
            valueName: "newest:N|all|none"))
    var auto: String?
    @Option(help: "Keep so many downloaded episodes, the latest ones; 0 for all.") var keep: Int?
    @Option(
        help: ArgumentHelp(
            "Add each downloaded episode to the queue: at its end, or after the current item.",
            valueName: "end|next|none"))
    var queue: String?
    @Option(help: "The folder for the files, instead of ~/Podcasts/TITLE.") var to: String?

    func validate() throws {
        if let auto, !["all", "none"].contains(auto) {
            guard auto.hasPrefix("newest:"), Int(auto.dropFirst(7)) ?? 0 > 0 else {
                throw ValidationError("'\(auto)' is none of newest:N, all, none.")
            }
        }
        if let keep, keep < 0 { throw ValidationError("--keep is 0 or above.") }
        if let queue, !["end", "next", "none"].contains(queue) {
            throw ValidationError("'\(queue)' is no place: end, next or none.")
        }
    }

    func apply(to call: inout ManageFeeds) throws {
        (call.auto, call.keep, call.queue) = (auto, keep, queue)
        call.to = try to.map { path in
            let absolute = try TransferName.absolute(path)
            return absolute.count > 1 && absolute.hasSuffix("/")
                ? String(absolute.dropLast()) : absolute
        }
    }
}
