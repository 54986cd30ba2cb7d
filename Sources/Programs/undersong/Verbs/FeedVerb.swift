import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback
import UndersongPodcasts

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

    struct List: Verb {
        static let configuration = described("list", "Show the feeds.")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("show the feeds", ListFeeds()) { FeedText.feeds($0.feeds) }
        }
    }

    struct Add: Verb {
        static let configuration = described(
            "add", "Subscribe to an RSS or Atom feed.",
            discussion: """
                The URL may also be that of a web page that names its feed. Without other options, \
                the latest three episodes are downloaded.
                """)
        @Argument(help: "The URL of the feed.") var url: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var automatic: AutomaticOption
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let call = AddFeed(url: url, policy: try policy.change())
            try automatic.perform(call, to: "add a feed", options, FeedText.added)
        }
    }

    struct Set: Verb {
        static let configuration = described(
            "set", "Change what happens with the episodes of a feed.")
        @Argument(help: "The feed's number, URL or title.") var feed: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let call = SetFeed(feed: feed, policy: try policy.change())
            try options.ask("change a feed", call) { FeedText.feeds([$0]) }
        }
    }

    struct Remove: Verb {
        static let configuration = described("remove", "Unsubscribe from a feed; its files stay.")
        @Argument(help: "The feed's number, URL or title.") var feed: String
        @Flag(help: "Delete its files as well, except that of the current item.")
        var deleteFiles = false
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let call = RemoveFeed(feed: feed, deletesFiles: deleteFiles)
            try options.ask("remove a feed", call, FeedText.removed)
        }
    }

    struct Refresh: Verb {
        static let configuration = described(
            "refresh", "Look for new episodes.",
            discussion: "Exit status: 1 if a feed cannot be read.")
        @Argument(help: "The feed; all feeds by default.") var feed: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            if try !options.refreshFeeds(feed).failed.isEmpty { throw ExitCode(1) }
        }
    }

    struct Episodes: Verb {
        static let configuration = described("episodes", "Show the episodes, latest first.")
        @Argument(help: "The feed; all feeds by default.") var feed: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("show the episodes", ListEpisodes(feed: feed)) {
                FeedText.episodes($0.episodes, of: $0.count)
            }
        }
    }

    struct Play: Verb {
        static let configuration = described(
            "play", "Play an episode now, from its file or its server.",
            discussion: "It replaces the queue, as 'undersong play' does.")
        @Argument(help: "The episode's number, as shown by 'undersong feed episodes'.")
        var episode: Int
        @Flag(help: "Start playing and return; needs background audio.") var detach = false
        @OptionGroup var session: SessionName

        func perform() throws {
            let service = try Service(
                to: "play episode \(episode)", session: session.text, startsService: true)
            let found = try service.call(ShowEpisode(episode))
            let options = (detach ? ["--detach"] : []) + ["--session", session.text]
            let play = try PlayVerb.parse(options + ["--", try source(of: found)])
            try play.perform()
        }

        /// The file of an episode, or its URL if the file is not there.
        ///
        /// - Throws: a failure if there is neither.
        private func source(of episode: Episode) throws -> String {
            let path = episode.path.flatMap { FilePath($0).exists ? $0 : nil }
            let isPlayable = episode.state != .notPlayable
            if let source = path ?? episode.url, isPlayable { return source }
            let reason = episode.type.map { "\(Columns.printable($0)) is not sound" }
            throw Failure(
                "cannot play episode \(episode.id): " + (reason ?? "the feed names no file"))
        }
    }

    struct Download: Verb {
        static let configuration = described("download", "Download an episode.")
        @Argument(help: "The episode's number, as shown by 'undersong feed episodes'.") var episode:
            Int
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("download an episode", DownloadEpisode(episode)) {
                FeedText.episodes([$0], of: 1)
            }
        }
    }

    struct Import: Verb {
        static let configuration = described(
            "import", "Subscribe to the feeds of a list (OPML).",
            discussion: "The next 'undersong feed refresh' reads them.")
        @Argument(help: "The OPML file.", completion: .file(extensions: ["opml", "xml"]))
        var file: String
        @OptionGroup var policy: FeedPolicyOptions
        @OptionGroup var automatic: AutomaticOption
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let call = ImportFeeds(policy: try policy.change())
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

    struct Export: Verb {
        static let configuration = described("export", "Print the feeds as a list (OPML).")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("export the feeds", ExportFeeds()) {
                $0.opml.hasSuffix("\n") ? String($0.opml.dropLast()) : $0.opml
            }
        }
    }
}

extension SessionOptions {
    /// Reads a feed, all of them for nil, and shows what is new.
    func refreshFeeds(_ feed: String?) throws -> FeedReport {
        let service = try service(to: "refresh the feeds")
        let report = try service.call(RefreshFeeds(feed: feed))
        show(report, FeedText.refreshed)
        return report
    }
}
