import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong feed`: podcasts.
struct FeedVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "Subscribe to podcasts, and download their episodes.",
        discussion: """
            A FEED is named by its number, its URL or its title. Episodes are downloaded by \
            undersong-transferd, as with 'undersong download': through lost connections, crashes and \
            restarts.

            Examples:
              undersong feed add https://example.org/feed.xml --auto newest:3 --queue end
              undersong feed add https://example.org/podcast --automatic --keep 14d
              undersong feed refresh
              undersong feed episodes 1
              undersong feed play 12
              undersong feed download 12
              undersong feed export > podcasts.opml
            """,
        subcommands: [
            List.self, Add.self, Set.self, Remove.self, Refresh.self, Episodes.self,
            Play.self, Download.self, Import.self, Export.self,
        ],
        defaultSubcommand: List.self)

    /// `undersong feed list`
    struct List: Verb {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the feeds.")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.askFeeds("show the feeds", ManageFeeds(.list), FeedText.feeds)
        }
    }

    /// `undersong feed add`
    struct Add: Verb {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Subscribe to an RSS or Atom feed.",
            discussion: """
                The URL may also be that of a web page that names its feed. Without other options, \
                the latest three episodes are downloaded.
                """)
        @Argument(help: "The URL of the feed.") var url: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var automatic: AutomaticOption
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.add)
            call.url = url
            try policy.apply(to: &call)
            try automatic.perform(call, to: "add a feed", options, FeedText.added)
        }
    }

    /// `undersong feed set`
    struct Set: Verb {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change what happens with the episodes of a feed.")
        @Argument(help: "The feed's number, URL or title.") var feed: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.set, feed: feed)
            try policy.apply(to: &call)
            try options.askFeeds("change a feed", call, FeedText.feeds)
        }
    }

    /// `undersong feed remove`
    struct Remove: Verb {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Unsubscribe from a feed; its files stay.")
        @Argument(help: "The feed's number, URL or title.") var feed: String
        @Flag(help: "Delete its files as well, except that of the current item.")
        var deleteFiles = false
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.remove, feed: feed)
            if deleteFiles { call.files = true }
            try options.askFeeds("remove a feed", call, FeedText.removed)
        }
    }

    /// `undersong feed refresh`
    struct Refresh: Verb {
        static let configuration = CommandConfiguration(
            commandName: "refresh", abstract: "Look for new episodes.",
            discussion: "Exit status: 1 if a feed cannot be read.")
        @Argument(help: "The feed; all feeds by default.") var feed: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let reply = try options.refreshFeeds(feed)
            if reply.problems?.contains(where: { $0.skipped == nil }) ?? false {
                throw ExitCode(1)
            }
        }
    }

    /// `undersong feed episodes`
    struct Episodes: Verb {
        static let configuration = CommandConfiguration(
            commandName: "episodes", abstract: "Show the episodes, latest first.")
        @Argument(help: "The feed; all feeds by default.") var feed: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.askFeeds(
                "show the episodes", ManageFeeds(.episodes, feed: feed), FeedText.episodes)
        }
    }

    /// `undersong feed play`
    struct Play: Verb {
        static let configuration = CommandConfiguration(
            commandName: "play", abstract: "Play an episode now, from its file or its server.",
            discussion: "It replaces the queue, as 'undersong play' does.")
        @Argument(help: "The episode's number, as shown by 'undersong feed episodes'.")
        var episode: Int
        @Flag(help: "Start playing and return; needs background audio.") var detach = false
        @OptionGroup var session: SessionName

        func perform() throws {
            var call = ManageFeeds(.episodes)
            call.episode = episode
            let service = try Service(
                to: "play episode \(episode)", session: session.text, startsService: true)
            let found = try service.call(call).episodes?.first
            let options = (detach ? ["--detach"] : []) + ["--session", session.text]
            let play = try PlayVerb.parse(options + ["--", try source(of: found)])
            try play.perform()
        }

        /// The file of an episode, or its URL if the file is not there. Errors: there is neither.
        private func source(of episode: EpisodeStatus?) throws -> String {
            let path = episode?.path.flatMap { path in
                unsafe FilePath(path).withPlatformString { unsafe access($0, F_OK) } == 0
                    ? path : nil
            }
            let isPlayable = episode?.state != "notPlayable"
            if let source = path ?? episode?.url, isPlayable { return source }
            let reason = episode?.type.map { "\(Columns.printable($0)) is not sound" }
            throw Failure(
                "cannot play episode \(self.episode): " + (reason ?? "the feed names no file"))
        }
    }

    /// `undersong feed download`
    struct Download: Verb {
        static let configuration = CommandConfiguration(
            commandName: "download", abstract: "Download an episode.")
        @Argument(help: "The episode's number, as shown by 'undersong feed episodes'.") var episode:
            Int
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.download)
            call.episode = episode
            try options.askFeeds("download an episode", call, FeedText.episodes)
        }
    }

    /// `undersong feed import`
    struct Import: Verb {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Subscribe to the feeds of a list (OPML).",
            discussion: "The next 'undersong feed refresh' reads them.")
        @Argument(help: "The OPML file.", completion: .file(extensions: ["opml", "xml"]))
        var file: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var automatic: AutomaticOption
        @OptionGroup var options: SessionOptions

        func perform() throws {
            var call = ManageFeeds(.import)
            try policy.apply(to: &call)
            let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                let reason = SystemError.last.reason
                throw Failure("cannot import \(Columns.printable(file)): \(reason)")
            }
            defer { close(descriptor) }
            try automatic.perform(
                call, to: "add the feeds", descriptors: [descriptor], options,
                FeedText.imported)
        }
    }

    /// `undersong feed export`
    struct Export: Verb {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Print the feeds as a list (OPML).")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.askFeeds("export the feeds", ManageFeeds(.export)) {
                let text = $0.opml ?? ""
                return text.hasSuffix("\n") ? String(text.dropLast()) : text
            }
        }
    }
}

extension ManageFeeds {
    fileprivate init(_ action: Action, feed: String?) {
        self.init(action)
        self.feed = feed
    }
}

extension SessionOptions {
    /// Asks about podcasts, of which there are some also while no service is running.
    fileprivate func askFeeds(
        _ purpose: String, _ call: ManageFeeds, _ text: (ManageFeeds.Reply) -> String
    ) throws {
        try ask(purpose, call, startsService: true, text)
    }

    /// Reads a feed, all of them for nil, and shows what is new.
    func refreshFeeds(_ feed: String?) throws -> ManageFeeds.Reply {
        let service = try Service(
            to: "refresh the feeds", session: session, startsService: true)
        let reply = try service.call(ManageFeeds(.refresh, feed: feed))
        show(reply, FeedText.refreshed)
        return reply
    }
}
