import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback
import UndersongTransfers

/// `undersong download`: files from the web.
struct DownloadVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Download files, through lost connections, crashes and restarts.",
        discussion: """
            The files are downloaded by another program, undersong-transferd. It continues when \
            this command ends or the terminal is closed, and resumes after a crash or a restart. A \
            file appears when it is complete, and never in part.

            Examples:
              undersong download https://example.org/episode.mp3 --queue end
              undersong download https://example.org/a.flac --to ~/Music/ --discretionary
              undersong download list
              undersong download limit 500k
            """,
        subcommands: [
            Fetch.self, List.self, TransferVerb<PauseTransfers>.self,
            TransferVerb<ResumeTransfers>.self, TransferVerb<CancelTransfers>.self,
            TransferVerb<RetryTransfers>.self, TransferVerb<RemoveTransfers>.self, Limit.self,
            Wait.self,
        ],
        defaultSubcommand: Fetch.self)

    /// `undersong download URL...`
    struct Fetch: Verb {
        static let configuration = described(
            "fetch", "Download files.",
            discussion: """
                Without --to, put the files into the current folder and name them as in their URLs. \
                Ctrl-C ends this command only, not the downloads.

                With --queue, each file joins the session's queue once it is complete, even if this \
                command, the terminal or the player are gone by then, or the machine was restarted.

                With --json, print a line for each change: events named download, with the phases \
                queued, waiting, running, progress, finished, failed and cancelled.

                Exit status: 1 if a file cannot be downloaded or, with --queue, played.
                """)
        @Argument(help: "The files' URLs (HTTP or HTTPS).") var url: [String]
        @Option(help: ArgumentHelp("The file, or the folder for the files.", valueName: "path"))
        var to: String?
        @Option(
            help: ArgumentHelp(
                "Add each finished file to the queue: at its end, or after the current item.",
                valueName: "end|next"),
            transform: { text in
                guard let place = QueuePlacement.Place(rawValue: text) else {
                    throw ValidationError("'\(text)' is not one of end, next.")
                }
                return place
            })
        var queue: QueuePlacement.Place?
        @Flag(help: "Wait for external power, and for a network that is not metered.")
        var discretionary = false
        @Option(
            help: ArgumentHelp(
                """
                Give up after this time: 2d, 12h, 30m, or a number of minutes; a week by default.
                """, valueName: "time"))
        var within: TransferTime?
        @Option(
            help: ArgumentHelp(
                "Refuse the file unless it has this SHA-256, in hexadecimal digits.",
                valueName: "digits"))
        var sha256: String?
        @Flag(help: "Return at once instead of waiting for the files.") var detach = false
        @OptionGroup var options: SessionOptions

        func validate() throws {
            if sha256 != nil, url.count > 1 {
                throw ValidationError("--sha256 needs a single URL.")
            }
        }

        func perform() throws {
            let calls = try calls()
            let connection = try TransferConnection(to: "download", session: options.session)
            let statuses = try Self.start(calls) { try connection.call($0) }
            guard !detach else { return options.show(TransferList(statuses), TransferText.list) }
            try options.follow(statuses, connection)
        }

        /// The requests for all URLs, each with a file of its own.
        func calls() throws -> [AddTransfer] {
            let calls = try url.map { try call($0) }
            var urls: [String: String] = [:]
            for call in calls {
                guard let other = urls.updateValue(call.url, forKey: call.to) else { continue }
                throw Failure(
                    "cannot download \(other) and \(call.url): Both would be \(call.to); "
                        + "download them one by one with --to FILE", status: 64)
            }
            return calls
        }

        /// Starts downloads, each by `send`. An error names those that have been started.
        static func start(
            _ calls: [AddTransfer], by send: (AddTransfer) throws -> TransferStatus
        ) throws -> [TransferStatus] {
            var started: [TransferStatus] = []
            for call in calls {
                do {
                    started.append(try send(call))
                } catch {
                    guard !started.isEmpty, let failure = Failure(error) else { throw error }
                    let names = started.map { "\($0.id) (\(TransferText.name($0)))" }
                    throw Failure(
                        "\(failure.message); already started: \(names.joined(separator: ", "))",
                        status: failure.status)
                }
            }
            return started
        }

        /// The request for a URL.
        func call(_ text: String) throws -> AddTransfer {
            let name = FilePath(text)
            // What no URL may contain is escaped, as in what is played.
            let url = NetworkName.isOne(name) ? NetworkName.escaped(name).description : text
            var call = AddTransfer(url: url, to: try destination(of: url))
            call.within = within?.seconds
            call.sha256 = sha256?.lowercased()
            // A web page instead of sound is of no use in the queue.
            call.audio = TransferName.isAudio(url) || queue != nil ? true : nil
            call.discretionary = discretionary ? true : nil
            call.queue = queue
            return call
        }

        private func destination(of url: String) throws -> String {
            let folder = try TransferName.absolute(to ?? ".")
            var status = stat()
            let isFolder =
                unsafe stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
                || (to?.hasSuffix("/") ?? false)
            guard isFolder else {
                guard self.url.count == 1 else {
                    throw Failure(
                        "cannot download \(self.url.count) files to \(folder): It is not a folder",
                        status: 64)
                }
                return folder
            }
            guard let name = TransferName.name(in: url) else {
                throw Failure(
                    "cannot download \(url): The URL names no file; name one with --to FILE",
                    status: 64)
            }
            return folder + (folder.hasSuffix("/") ? "" : "/") + name
        }
    }

    struct List: Verb {
        static let configuration = described("list", "Show the downloads.")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let connection = try TransferConnection(to: "list", session: options.session)
            options.show(try connection.list(), TransferText.list)
        }
    }

    struct Limit: Verb {
        static let configuration = described(
            "limit", "Limit the speed of all downloads, or show the limit.",
            discussion: "The limit stays until it is changed, even across restarts.")
        @Argument(help: "Bytes per second, such as 500k or 2M, or off.") var speed: TransferSpeed?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let connection = try TransferConnection(to: "limit", session: options.session)
            guard let speed else {
                return options.show(try connection.call(GetTransferLimit()), TransferText.limit)
            }
            let call = SetTransferLimit(limit: speed.bytes)
            options.show(try connection.call(call), TransferText.limit)
        }
    }

    struct Wait: Verb {
        static let configuration = described(
            "wait", "Wait for downloads to end.",
            discussion: "Exit status: 1 if a file cannot be downloaded.")
        @OptionGroup var selection: TransferSelection
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let connection = try TransferConnection(to: "wait", session: options.session)
            let open = selection.ids == nil ? true : nil
            try options.follow(
                try connection.list(ids: selection.ids, open: open).transfers, connection)
        }
    }
}

/// The downloads that a verb is about.
struct TransferSelection: ParsableArguments {
    @Argument(help: "Numbers from the list; without any, all downloads.") var number: [Int] = []

    /// Nil for all.
    var ids: [Int]? { number.isEmpty ? nil : number }
}

/// A change of downloads that has a verb.
protocol TransferVerbChange: TransferChange {
    /// The verb's name, and what it does.
    static var verb: TransferVerbText { get }
}

typealias TransferVerbText = (name: String, abstract: String)

extension PauseTransfers: TransferVerbChange {
    static var verb: TransferVerbText { ("pause", "Stop downloads until they are resumed.") }
}

extension ResumeTransfers: TransferVerbChange {
    static var verb: TransferVerbText { ("resume", "Resume paused downloads.") }
}

extension CancelTransfers: TransferVerbChange {
    static var verb: TransferVerbText {
        ("cancel", "Cancel downloads, and delete what was received.")
    }
}

extension RetryTransfers: TransferVerbChange {
    static var verb: TransferVerbText {
        ("retry", "Try failed downloads again, and waiting ones at once.")
    }
}

extension RemoveTransfers: TransferVerbChange {
    static var verb: TransferVerbText {
        ("remove", "Remove ended downloads from the list; their files are kept.")
    }
}

/// A verb that changes downloads.
struct TransferVerb<Change: TransferVerbChange>: Verb {
    static var configuration: CommandConfiguration {
        described(Change.verb.name, Change.verb.abstract)
    }

    @OptionGroup var selection: TransferSelection
    @OptionGroup var options: SessionOptions

    func perform() throws {
        let connection = try TransferConnection(to: Change.verb.name, session: options.session)
        options.show(try connection.call(Change(ids: selection.ids)), TransferText.list)
    }
}

extension SessionOptions {
    /// Shows downloads until they are over. Fails if a file has not come.
    fileprivate func follow(
        _ transfers: [TransferStatus], _ connection: TransferConnection
    ) throws {
        let (ids, clock) = (transfers.map(\.id), SystemClock())
        var progress = TransferProgress(
            ids, isTerminal: isatty(STDOUT_FILENO) == 1, isJSON: json
        ) { clock.secondsSinceBoot }
        let ends = try connection.follow(ids) { changed in
            let text = progress.update(changed, columns: Screen.columns)
            if !text.isEmpty { writeOutput(text) }
        }
        guard ends.allSatisfy({ $0.state == .finished && $0.queued != false }) else {
            throw ExitCode(1)
        }
    }
}
