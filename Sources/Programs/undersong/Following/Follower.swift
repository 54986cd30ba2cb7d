import CUndersongLinux
import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Follows a service until it is asked to end: shows events, reports this program's host state to
/// the service, and ends with the run that it follows.
final class Follower: Sendable {
    /// The options of the verbs that follow.
    struct Options: Sendable {
        /// The operation, for the error when the service goes away: `follow the queue`.
        var purpose: String
        /// True to show a live line on the terminal.
        var isLive = false
        /// True to accept keys as commands.
        var takesKeys = false
        /// The commands of the keys.
        var keys = KeyMap.usual
        /// True to end when the reader of the standard output has gone.
        var endsWithReader = true
        /// True if this program owns what plays: the key q stops it, and d leaves it playing.
        /// Otherwise both keys only end this program.
        var ownsRun = true
        /// True to offer, at the first run on a terminal, that the music plays on without it.
        var offersBackground = false
        /// Asks the service to stop after a signal; nil if there is nothing to stop.
        var stop: (@Sendable (Service, Host) -> Void)?
        /// The time to wait for a sound server if the service was started for this run; nil for no
        /// limit.
        var deadline: Deadline?
        /// True to explain silence in the background.
        var explainsSilence = false
        /// The shell commands to run for events, the session's name, and the clock for their time;
        /// nil for none.
        var commands:
            (lines: [EventCommand.Subject: String], session: String, clock: any HostClock)?
        /// The way to follow the next service when this one has gone away; nil to end then.
        var waiting: Waiting?
        /// An additional handler of the service's notices.
        var handle: @Sendable (Notice) -> Void = { _ in }
    }

    /// The way to follow one service after the other.
    struct Waiting: Sendable {
        /// The session's name.
        var session: String
        /// The name of this program for the services.
        var name: String
        /// Adds the calls with which to begin.
        var fill: @Sendable (Service.Calls) -> Void
        /// Handles that there is no service for now.
        var lost: @Sendable () -> Void = {}
    }

    /// The connection to a service, of those that follow each other.
    private struct Connection {
        var number = 0
        var isLost = false
    }

    /// The time to wait for a sound server.
    struct Deadline: Sendable {
        var seconds: Double
        /// The server's name as it was given; nil for the default server.
        var server: String?
    }

    /// The time that a run may take to end after it was given up.
    private static let stopDeadline = DispatchTimeInterval.milliseconds(280)

    private let options: Options
    private let watch = Mutex(OutputWatch())
    private let silence = Mutex(BackgroundSilence())
    private let finished = Mutex(FinishedItems())
    private let connection = Mutex(Connection())
    /// True if writing events has failed.
    private let hasLostOutput = Atomic(false)
    private let terminal: HostTerminal
    private let link: Service
    private let screen: Screen?
    private let host: Host
    private let commands: [EventCommand]

    init(
        _ terminal: HostTerminal, _ options: Options, link: Service = Service()
    ) {
        let screen = options.isLive ? Screen(terminal) : nil
        let detaching = Detaching(link, ownsRun: options.ownsRun) { screen?.say([$0]) }
        let keyboard =
            options.takesKeys
            ? Keyboard { [keys = options.keys] in
                Self.press(keys.key(for: $0), keys, link, screen, detaching)
            } : nil
        let ownsRun = options.ownsRun
        var handlers = Host.Handlers(enter: { if ownsRun { link.enter($0, $1) } })
        handlers.isSuspended = { then in
            link.send(GetStatus()) { then((try? $0.get())?.suspended ?? true) }
        }
        if let stop = options.stop { handlers.stop = { stop(link, $0) } }
        commands =
            options.commands.map { commands in
                commands.lines.map { subject, line in
                    EventCommand(
                        line, on: subject, session: commands.session, clock: commands.clock
                    ) { Self.complain($0, on: screen) }
                }
            } ?? []
        self.options = options
        self.terminal = terminal
        self.link = link
        self.screen = screen
        let host = Host(
            terminal, screen: screen, keyboard: keyboard, link.jobControl, handlers)
        detaching.leavesBy { host.leave(0) }
        self.host = host
    }

    /// Connects as `name`, a verb, and sends all calls that `fill` adds, without waiting for
    /// answers in between. A service that has to be started connects to `soundServer` meanwhile;
    /// nil for none.
    func begin(
        session: String, as name: String, startsService: Bool = false, soundServer: String? = nil,
        _ fill: (Service.Calls) -> Void
    ) throws {
        let number = connection.withLock { connection in
            connection = Connection(number: connection.number + 1)
            return connection.number
        }
        let isStartedHere = try link.connect(
            to: options.purpose, as: name, session: session, startsService: startsService,
            soundServer: soundServer
        ) { [self] in handle($0, by: number) }
        if isStartedHere, options.deadline != nil { act(watch.withLock { $0.begin() }) }
        link.sendTogether(onFailure: { [self] in fail($0, by: number) }, fill)
        if options.offersBackground, let screen { BackgroundOffer.make(link, screen, terminal) }
    }

    /// Connects to the next service as soon as it runs.
    func wait(_ waiting: Waiting) {
        startThread(named: "reconnect") { [self] in
            let clock = SystemClock()
            var delays = Backoff(seconds: 0.1...2)
            while (try? begin(session: waiting.session, as: waiting.name, waiting.fill)) == nil {
                clock.sleep(until: clock.now + delays.nextNanoseconds())
            }
        }
    }

    /// Handles signals until the program ends. `reported` is the state that the service has been
    /// sent.
    func follow(_ signals: HostSignals, reported: ApplicationState) -> Never {
        if screen == nil, options.endsWithReader {
            ReaderWatch.begin { [host] in host.leaveByBrokenPipe() }
        }
        host.follow(signals, reported: reported)
    }

    /// Ends the program.
    func leave(_ status: Int32) -> Never { host.leave(status) }

    /// The exit status for the end of a run.
    static func status(of end: SessionEnd) -> Int32 {
        switch end.reason {
        case .finished, .stopped: end.playedCount > 0 ? 0 : 1
        case .outputFailed(.serverUnavailable), .outputFailed(.serverLost),
            .outputFailed(.accessDenied):
            Failure.unavailable
        case .outputFailed: 1
        }
    }

    private func handle(_ notice: Notice, by number: Int) {
        options.handle(notice)
        switch notice {
        case .event(let event): show(event)
        case .outputLost(nil): host.leaveByBrokenPipe()
        case .outputLost(let reason?):
            complain(outputComplaint(reason))
            hasLostOutput.store(true, ordering: .relaxed)
            // What plays does not end because nobody reads of it.
            if options.stop == nil { host.leave(1) }
        case .runEnded(let end):
            let hasGivenUp = watch.withLock { $0.hasGivenUp }
            let status = hasGivenUp ? Failure.unavailable : Self.status(of: end)
            host.leave(status == 0 && hasLostOutput.load(ordering: .relaxed) ? 1 : status)
        case .lost: lose(number)
        case .taskExpiring, .taskTerminated, .analysis: break
        case .refreshLaunch, .refreshExpiring, .refreshEnded: break
        case .pushReceived, .pushExpired: break
        }
    }

    private func show(_ event: PlayerEvent) {
        if case .error(let failure) = event.kind { complain(failure.description) }
        let finished = finished.withLock { $0.handle(event) }
        if let screen, let line = SoundText.line(event) ?? finished { screen.say([line]) }
        screen?.handle(event)
        for command in commands { command.handle(event) }
        let isSilent = silence.withLock { $0.handle(event, isForeground: terminal.isForeground) }
        if isSilent, options.explainsSilence { complain(BackgroundSilence.message) }
        act(watch.withLock { $0.handle(event) })
    }

    private func act(_ action: OutputWatch.Action?) {
        guard let deadline = options.deadline, let action else { return }
        switch action {
        case .wait(let number):
            DispatchQueue(label: "undersong.output").asyncAfter(
                deadline: .now() + deadline.seconds
            ) { [self] in act(watch.withLock { $0.isOver(number) }) }
        case .giveUp(let reason): giveUp(deadline, reason)
        }
    }

    /// Ends the run, so that the service does not wait forever, and the program.
    private func giveUp(_ deadline: Deadline, _ reason: String) {
        let server = deadline.server.map { " \(Columns.printable($0))" } ?? ""
        complain("cannot connect to the sound server\(server): \(Columns.printable(reason))")
        DispatchQueue(label: "undersong.stop").asyncAfter(
            deadline: .now() + Self.stopDeadline
        ) { [self] in host.leave(Failure.unavailable) }
        link.send(Command(.stop)) { [self] _ in host.leave(Failure.unavailable) }
    }

    private func complain(_ message: String) { Self.complain(message, on: screen) }

    private static func complain(_ message: String, on screen: Screen?) {
        guard let screen else { return UndersongCLI.complain(message) }
        screen.say([complaint(message)], to: STDERR_FILENO)
    }

    private func lose(_ number: Int) {
        guard let waiting = options.waiting, !host.isLeaving else {
            if !host.isLeaving { complain("cannot \(options.purpose): The service has gone away") }
            host.leave(Failure.unavailable)
        }
        let isNews = connection.withLock { connection in
            defer { if connection.number == number { connection.isLost = true } }
            return connection.number == number && !connection.isLost
        }
        guard isNews else { return }
        complain("the service has gone away, waiting for it")
        waiting.lost()
        wait(waiting)
    }

    private func fail(_ error: ControlError, by number: Int) {
        if error.code == .unavailable { return lose(number) }
        complain(error.message)
        host.leave(Failure.status(of: error.code))
    }

    private static func press(
        _ key: Key, _ keys: KeyMap, _ link: Service, _ screen: Screen?,
        _ detaching: Detaching
    ) {
        switch key {
        case .quit where detaching.ownsRun: kill(getpid(), SIGTERM)
        case .quit, .detach: detaching.detach()
        case .help:
            screen?.say(
                KeyText.lines(
                    columns: Screen.columns, ownsRun: detaching.ownsRun, own: keys.texts))
        default: link.press(key) { screen?.note($0) }
        }
    }
}

/// Notices when the reader of the standard output has gone, even if nothing is written for a long
/// time.
enum ReaderWatch {
    /// Calls `then` on its own thread when the reader of a pipe or socket has gone.
    static func begin(_ then: @escaping @Sendable () -> Void) {
        var status = stat()
        guard unsafe fstat(STDOUT_FILENO, &status) == 0,
            [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        else { return }
        DispatchQueue(label: "undersong.reader").async {
            // No events are requested, so poll returns only at the end.
            var end = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&end, 1, -1) < 0 && errno == EINTR {}
            then()
        }
    }
}

/// Formats the lines that played items leave on the terminal.
struct FinishedItems {
    /// The artists of the items that have begun, by item.
    private var artists: [ItemID: String] = [:]

    /// Handles an event, and returns `2/12  4:05  Artist - Title` if it is the end of an item.
    mutating func handle(_ event: PlayerEvent) -> String? {
        guard case .item(let change) = event.kind else { return nil }
        switch change {
        case .began(let item, let description): artists[item.id] = description?.tags["artist"]
        case .left(let item, _): artists[item.id] = nil
        case .ended(let item, _):
            let seconds = PlayedPart(item).length(inFileOf: item.facts?.duration?.seconds)
            let length = seconds.map { ClockText.text($0) + "  " } ?? ""
            let name = ItemName.text(
                item.displayTitle, artist: artists.removeValue(forKey: item.id))
            return "\(event.head.place + 1)  \(length)\(Columns.printable(name))"
        case .measured: break
        }
        return nil
    }
}
