import ArgumentParser
import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback
import UndersongPodcasts

/// `undersong fetch`: looks for something new in the background.
struct FetchVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Check for new episodes in the background, shortly before you usually listen.",
        discussion: """
            Fetches need two declarations: 'undersong capability fetch on' and 'undersong \
            capability permit net.undersong.refresh'. The service learns when you open the player.
            """,
        subcommands: [
            Now.self, Interval.self, RefreshStatusVerb.self, Allow.self, Deny.self, Due.self,
            Pending.self, Simulate.self, Expire.self, RunCommand.self,
        ], defaultSubcommand: Now.self)

    struct Now: Verb {
        static let configuration = described(
            "now", "Fetch at once, and wait for the result.",
            discussion: "Exit status: 0 if something is new, 1 if not, 2 if it failed.")

        @Argument(help: "The podcast to read; by default, everything is fetched.") var feed: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            guard let feed else { return try RefreshWait(options).run(RunRefresh(), "fetch") }
            switch try read(feed).result {
            case .newData: break
            case .noData: throw ExitCode(1)
            case .failed: throw ExitCode(2)
            }
        }

        /// Reads a feed. Its errors have the exit status of a fetch that failed.
        private func read(_ feed: String) throws -> FeedReport {
            do {
                return try options.refreshFeeds(feed)
            } catch {
                guard let failure = Failure(error), failure.status == 1 else { throw error }
                throw Failure(failure.message, status: 2)
            }
        }
    }

    struct Interval: RefreshVerb {
        static let purpose = "set the interval"
        static let configuration = described(
            "interval", "Set the shortest time between fetches.",
            discussion: "minimum is 15 minutes; never, the default, means no fetches.")

        @Argument(help: "never, minimum, or a time such as 30m, 1h or 1d.") var interval: String
        @OptionGroup var options: SessionOptions

        func validate() throws { _ = try Self.interval(interval) }

        func call() throws -> SetFetchInterval { SetFetchInterval(try Self.interval(interval)) }

        private static func interval(_ argument: String) throws -> FetchInterval {
            if argument == "never" { return .never }
            if argument == "minimum" { return .minimum }
            guard let seconds = quantity(argument, timeUnits) else {
                throw ValidationError(
                    "'\(argument)' is not an interval: use never, minimum, or a time such as 1h.")
            }
            return .seconds(seconds)
        }
    }

    struct Due: Verb {
        static let configuration = described(
            "due", "Start the service if it is not running, so that it does what is due.",
            discussion: """
                undersong-refresh.timer calls this, even after the machine was off. A running service \
                is left alone: it knows when something is due.
                """)

        @OptionGroup var options: SessionOptions

        func perform() throws {
            if StateFolder.holder(session: options.session) != nil { return }
            try options.ask("do what is due", GetRefreshStatus()) { _ in "" }
        }
    }

    struct Allow: RefreshVerb {
        static let purpose = "allow background refresh"
        static let configuration = described("allow", "Switch background refresh on again.")

        @OptionGroup var options: SessionOptions

        func call() -> AllowRefresh { AllowRefresh() }
    }

    struct Deny: RefreshVerb {
        static let purpose = "deny background refresh"
        static let configuration = described(
            "deny", "Switch background refresh off, whatever is declared.",
            discussion: """
                Until 'undersong fetch allow', no fetch, refresh or processing begins by itself, and \
                programs that request one are refused. What you start yourself still runs.
                """)

        @OptionGroup var options: SessionOptions

        func call() -> DenyRefresh { DenyRefresh() }
    }

    struct Simulate: Verb {
        static let configuration = described(
            "simulate", "Launch a task now, as if it were due: a test hook.")

        @Argument(
            help: """
                The task's identifier, or an app's for its fetch; by default the service's own fetch, \
                during which the player is in the background.
                """)
        var identifier: String?

        @OptionGroup var options: SessionOptions

        func perform() throws {
            try RefreshWait(options).run(SimulateRefresh(identifier), "simulate a launch")
        }
    }

    struct Expire: Verb {
        static let configuration = described("expire", "Expire a running task: a test hook.")

        @Argument(help: "The task's identifier; by default every running task.")
        var identifier: String?

        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask(
                "expire a task", ExpireRefresh(identifier), startsService: false, RefreshText.status
            )
        }
    }

    struct RunCommand: Verb {
        static let configuration = described(
            "run", "Run a command whenever a fetch is due, until Ctrl-C.",
            discussion: """
                The command has 30 seconds; then it is ended, with all that it has started. Its exit \
                status is the result: 0 if something is new, 1 if nothing is, anything else if it \
                failed.

                After Ctrl-Z this continues in the background for each fetch, and stops again after it.

                If the service is killed, this starts it again; if it is ended, this waits for it.
                """)

        @Option(help: "The identifier of the task.") var identifier = RefreshRunner.fetchIdentifier
        @OptionGroup var run: RefreshRunOptions

        func perform() throws { try run.perform(identifier, request: nil) }
    }
}

/// `undersong processing`: maintenance work for when nobody uses the machine.
struct ProcessingVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processing",
        abstract: "Do long work while nobody uses the player or the machine.",
        discussion: """
            It needs two declarations: 'undersong capability processing on' and 'undersong \
            capability permit ID'.
            """,
        subcommands: [RefreshStatusVerb.self, Pending.self, Simulate.self, RunCommand.self],
        defaultSubcommand: RefreshStatusVerb.self)

    struct Simulate: Verb {
        static let configuration = described(
            "simulate", "Launch a task now, as if it were due: a test hook.")

        @Argument(help: "The task's identifier.")
        var identifier = RefreshRunner.processingIdentifier

        @OptionGroup var options: SessionOptions

        func perform() throws {
            try RefreshWait(options).run(SimulateRefresh(identifier), "simulate a launch")
        }
    }

    struct RunCommand: Verb {
        static let configuration = described(
            "run", "Run a command once a day while nobody uses the machine, until Ctrl-C.",
            discussion: """
                The command, with all that it has started, is asked to end (SIGTERM) as soon as the \
                user returns, and five seconds later it is killed.

                After Ctrl-Z this continues in the background for each run, and stops again after it.

                If the service is killed, this starts it again; if it is ended, this waits for it.
                """)

        @Option(help: "The identifier of the task.")
        var identifier = RefreshRunner.processingIdentifier

        @Flag(help: "Run only while the Internet can be reached.") var network = false
        @Flag(help: "Run only on external power.") var power = false
        @OptionGroup var run: RefreshRunOptions

        func perform() throws {
            let request = RefreshRequest(
                identifier, kind: .processing, requiresNetworkConnectivity: network,
                requiresExternalPower: power)
            try run.perform(identifier, request: request)
        }
    }
}

/// The command to run for a task.
struct RefreshRunOptions: ParsableArguments {
    @Flag(help: "End after one run.") var once = false
    @OptionGroup var session: SessionName
    @Argument(parsing: .postTerminator, help: "The command, after --.") var command: [String]

    /// Runs the command for each launch of a task, for which `request` is submitted.
    func perform(_ identifier: String, request: RefreshRequest?) throws {
        try RefreshRunner(
            identifier: identifier, command: command, isOnce: once, request: request
        ).follow(session: session.text)
    }
}

/// A verb of refreshes, whose answer is their status.
protocol RefreshVerb: CallVerb where Call.Reply == RefreshStatus {}

extension RefreshVerb {
    static func text(_ status: RefreshStatus) -> String { RefreshText.status(status) }
}

struct RefreshStatusVerb: RefreshVerb {
    static let purpose = "show the status"
    static let configuration = described(
        "status", "Show what is due next and why, what prevents it, and the last runs.")

    @OptionGroup var options: SessionOptions

    func call() -> GetRefreshStatus { GetRefreshStatus() }
}

struct Pending: CallVerb {
    static let purpose = "list the requests"
    static let configuration = described("pending", "List the requests that have been submitted.")

    @OptionGroup var options: SessionOptions

    func call() -> GetRefreshStatus { GetRefreshStatus() }

    static func text(_ status: RefreshStatus) -> String { RefreshText.pending(status) }
}
