package import ArgumentParser
import Glibc
import Synchronization
package import UndersongBackground
package import UndersongBase
import UndersongPlayback
import UndersongPodcasts

/// Runs a shell command for each event of a subject, one at a time. Of the items that begin while it
/// is running, only the last one gets it; episodes get it one after the other. Any thread may call it;
/// it never waits for the command.
package final class EventCommand: Sendable {
    /// A subject of events for which a command is run.
    package enum Subject: String, CaseIterable, Sendable {
        /// An item begins.
        case item
        /// A feed has a new episode.
        case episode
        /// The download of an episode has finished or failed.
        case download

        /// The subject in the error of a command that fails.
        fileprivate var noun: String {
            switch self {
            case .item: "an item"
            case .episode: "an episode"
            case .download: "a download"
            }
        }

        /// The most events that wait for the command.
        fileprivate var limit: Int { self == .item ? 1 : 100 }
    }

    /// The seconds for which a command may run before it is killed.
    package static let patience = 30.0

    private struct State {
        /// The environments for the next runs.
        var next: [[String: [UInt8]]] = []
        var isRunning = false
        /// True if the last run failed, so that the next failure is not reported again.
        var hasFailed = false
    }

    private let command: String
    private let subject: Subject
    private let session: String
    private let patience: Double
    private let clock: any HostClock
    private let complain: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// `command` is a line for `/bin/sh`. `complain` is called with the first failure, and again
    /// with the first one after a success, on a thread of its own.
    package init(
        _ command: String, on subject: Subject = .item, session: String,
        patience: Double = EventCommand.patience,
        clock: any HostClock,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.command = command
        self.subject = subject
        self.session = session
        self.patience = patience
        self.clock = clock
        self.complain = complain
    }

    /// Starts the command if the event is one of its subject.
    package func handle(_ event: PlayerEvent) {
        guard let variables = variables(of: event) else { return }
        let starts = state.withLock { state in
            state.next = (state.next + [variables]).suffix(subject.limit)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { startThread(named: "on-\(subject.rawValue)") { [self] in runAll() } }
    }

    private func runAll() {
        while let variables = nextVariables() {
            let problem = run(variables)
            let isNews = state.withLock { state in
                defer { state.hasFailed = problem != nil }
                return !state.hasFailed
            }
            guard let problem, isNews else { continue }
            complain("cannot run the command for \(subject.noun), \(command): \(problem)")
        }
    }

    private func nextVariables() -> [String: [UInt8]]? {
        state.withLock { state in
            state.isRunning = !state.next.isEmpty
            return state.next.isEmpty ? nil : state.next.removeFirst()
        }
    }

    // MARK: The environment

    private static let names = [
        "TITLE", "ARTIST", "ALBUM", "PATH", "DURATION", "PLACE", "SESSION", "PODCAST", "EPISODE",
        "PROBLEM",
    ].map { "UNDERSONG_" + $0 }

    /// The environment for an event; nil if it is not one of the subject. Facts that are not known
    /// have no variable.
    private func variables(of event: PlayerEvent) -> [String: [UInt8]]? {
        var values: [String: [UInt8]]
        switch event.kind {
        case .item(.began(let item, let description)) where subject == .item:
            values = Self.values(of: item, description, number: event.head.place + 1)
        case .episode(let report) where isAbout(report): values = Self.values(of: report)
        default: return nil
        }
        values["SESSION"] = Array(session.utf8)
        return Dictionary(
            uniqueKeysWithValues: values.map { name, value in
                ("UNDERSONG_" + name, value.filter { $0 != 0 })
            })
    }

    private func isAbout(_ report: EpisodeReport) -> Bool {
        switch subject {
        case .item: false
        case .episode: report.isNew == true
        case .download: report.phase == .downloaded || report.phase == .failed
        }
    }

    private static func values(of report: EpisodeReport) -> [String: [UInt8]] {
        let texts = [
            "TITLE": report.title, "PODCAST": report.podcast, "EPISODE": String(report.episode),
            "PATH": report.phase == .downloaded ? report.path : nil, "PROBLEM": report.problem,
        ]
        return texts.compactMapValues { $0.map { Array($0.utf8) } }
    }

    private static func values(
        of item: QueueItem, _ description: MediaDescription?, number: Int
    ) -> [String: [UInt8]] {
        var values = [
            "TITLE": Array(item.displayTitle.utf8), "PATH": item.source.path.bytes,
            "PLACE": Array("\(number)".utf8),
        ]
        for (name, tag) in [("ARTIST", "artist"), ("ALBUM", "album")] {
            values[name] = description?.tags[tag].flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        }
        values["DURATION"] = description.flatMap { ItemFacts($0).duration }.map {
            Array("\($0.seconds)".utf8)
        }
        return values
    }

    // MARK: The process

    /// Runs the command to its end; returns what went wrong.
    private func run(_ variables: [String: [UInt8]]) -> String? {
        let process: ChildProcess
        do throws(NewProcess.StartError) {
            process = try start(variables)
        } catch {
            return error.cause.reason
        }
        let hasEnded = process.waitForEnd(until: clock.now + Int64(patience * 1e9))
        // What it has started in the background is left alone, unless it took too long.
        if !hasEnded { kill(-process.id, SIGKILL) }
        let end = process.reap()
        guard hasEnded else { return "It took longer than \(Int(patience)) s and was killed" }
        switch end {
        case .exited(let status): return status == 0 ? nil : "Exit status \(status)"
        case .killed(let number): return "Signal \(number)"
        }
    }

    /// Starts the shell in a process group of its own, with no descriptors but the standard ones;
    /// what it writes is logged with this program's errors, unless these are on a terminal.
    private func start(
        _ variables: [String: [UInt8]]
    ) throws(NewProcess.StartError) -> ChildProcess {
        var process = NewProcess(
            "/bin/sh", bytes: [Array("-c".utf8), ProcessArguments.bytes(of: command)])
        // Facts that are not known have no variable.
        process.removedVariables = Self.names
        process.variables = variables
        let errors = isatty(STDERR_FILENO) == 1 ? NewProcess.Descriptor.null : .duplicate(of: 2)
        process.descriptors = [.null, errors, errors]
        process.group = .own
        return try process.start()
    }
}

/// The options with commands that are run for events.
package struct EventCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run this command when an item begins, such as notify-send \"$UNDERSONG_TITLE\".",
            valueName: "command"))
    package var onItem: String?

    @Option(
        help: ArgumentHelp(
            "Run this command when a feed has a new episode.", valueName: "command"))
    package var onEpisode: String?

    @Option(
        help: ArgumentHelp(
            "Run this command when the download of an episode has finished or failed.",
            valueName: "command"))
    package var onDownload: String?

    package init() {}

    /// The commands that are given.
    package var commands: [EventCommand.Subject: String] {
        let commands: [EventCommand.Subject: String?] = [
            .item: onItem, .episode: onEpisode, .download: onDownload,
        ]
        return commands.compactMapValues(\.self)
    }

    /// The environment of the commands, for the help.
    package static let environment = """
        The commands of --on-item, --on-episode and --on-download are run by a shell, one at a time \
        and for 30 seconds at most. That of --on-item is run for each item that begins, with \
        UNDERSONG_TITLE, UNDERSONG_ARTIST, UNDERSONG_ALBUM, UNDERSONG_PATH, UNDERSONG_DURATION \
        (seconds), UNDERSONG_PLACE (from 1) and UNDERSONG_SESSION in its environment, as far as they \
        are known; the others with UNDERSONG_TITLE, UNDERSONG_PODCAST, UNDERSONG_EPISODE (its \
        number), UNDERSONG_PATH or UNDERSONG_PROBLEM, and UNDERSONG_SESSION.
        """
}
