import ArgumentParser
import UndersongBase
import UndersongCommandOptions
import UndersongLibrary

/// `undersong library`: the music in the user's folders.
struct LibraryVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Find music in your folders, by artist, album and more.",
        discussion: """
            The folders of the library are scanned in the background, and watched for changes. The \
            tracks of one that is not there, such as an unplugged disk, are kept for 30 days.

            \(QueryArguments.help)

            Examples:
              undersong library add ~/Music
              undersong library albums artist:björk
              undersong library new
              undersong library random --by album --play
              undersong play --library 'album:"Abbey Road"'
              undersong queue add --library is:favourite
              undersong library save Quiet genre:ambient rating:4..
              undersong play --library @Quiet
            """,
        subcommands: [
            List.self, Add.self, Remove.self, Update.self, Artists.self, Albums.self, Tracks.self,
            Genres.self, Years.self, Composers.self, New.self, Random.self, History.self,
            Similar.self, Save.self, Lists.self, Forget.self,
        ],
        defaultSubcommand: List.self)

    struct List: CallVerb {
        static let purpose = "show the library"
        static let configuration = described(
            "list", "Show the folders, and how far a scan is.")
        @OptionGroup var options: SessionOptions

        func call() -> GetLibrary { GetLibrary() }
        static func text(_ status: LibraryStatus) -> String { LibraryText.folders(status) }
    }

    struct Add: Verb {
        static let configuration = described(
            "add", "Add folders, and scan them in the background.")
        @Argument(help: "The folders, such as ~/Music.", completion: .directory)
        var folder: [FilePath]
        @OptionGroup var waiting: ScanWaiting
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.askForEach(
                folder, to: "add to the library", thenWaits: waiting.wait
            ) { AddLibraryFolder($0) }
        }
    }

    struct Remove: Verb {
        static let configuration = described(
            "remove", "Remove folders; their files stay.",
            discussion: """
                The tracks' ratings and counts are kept for 30 days, in case the folder is added \
                again.
                """)
        @Argument(help: "The folders.", completion: .directory) var folder: [FilePath]
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.askForEach(folder, to: "remove from the library") {
                RemoveLibraryFolder($0)
            }
        }
    }

    struct Update: Verb {
        static let configuration = described(
            "update", "Look for changes in the folders now.",
            discussion: "The service finds most changes by itself.")
        @Argument(
            help: "A folder of the library, or one inside it; all by default.",
            completion: .directory)
        var folder: [FilePath] = []
        @Flag(help: "Read files that have not changed, too.") var all = false
        @OptionGroup var waiting: ScanWaiting
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "update the library"
            let readsAll = all ? true : nil
            guard !folder.isEmpty else {
                let call = UpdateLibrary(readsAll: readsAll)
                guard waiting.wait else {
                    return try options.ask(purpose, call, LibraryText.folders)
                }
                _ = try options.service(to: purpose).call(call)
                try ScanFollower(isJSON: options.json).run(session: options.session)
            }
            try options.askForEach(folder, to: purpose, thenWaits: waiting.wait) {
                UpdateLibrary(path: $0, readsAll: readsAll)
            }
        }
    }
}

/// The option of verbs that begin a scan.
struct ScanWaiting: ParsableArguments {
    @Flag(help: "Wait until everything is scanned, and show the progress.") var wait =
        false
}

extension SessionOptions {
    /// Makes a call for each of `folders`, of which relative paths start at this program's working
    /// directory, and shows the library after the last one, or after its scan.
    fileprivate func askForEach<Call: ControlCall>(
        _ folders: [FilePath], to purpose: String, thenWaits: Bool = false,
        _ call: (FilePath) -> Call
    ) throws where Call.Reply == LibraryStatus {
        let paths = try folders.map { folder in
            guard !folder.bytes.isEmpty else {
                throw Failure("cannot \(purpose): The name is empty", status: 64)
            }
            return try folder.located(in: .current)
        }
        let service = try service(to: purpose)
        var last: LibraryStatus?
        for path in paths { last = try service.call(call(path)) }
        if thenWaits { try ScanFollower(isJSON: json).run(session: session) }
        if let last { show(last, LibraryText.folders) }
    }
}
