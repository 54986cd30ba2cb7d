import Control
import Glibc
import Synchronization

/// Follows a service until it is told to end: shows what happens, tells the service where this
/// program is, and ends with what it follows.
final class Follower: Sendable {
    /// What differs between the verbs that follow.
    struct Manner: Sendable {
        /// What the program does, for when the service goes away: `follow the queue`.
        var purpose: String
        /// Whether a line on the terminal shows what is heard.
        var isLive = false
        /// Whether keys on the terminal are commands.
        var takesKeys = false
        /// Asks for what ends the program, after a signal; nil: nothing has to be asked for.
        var stop: (@Sendable (ServiceLink, Host) -> Void)?
        /// Takes what the service tells, too.
        var take: @Sendable (Notice) -> Void = { _ in }
    }

    private let manner: Manner
    private let link: ServiceLink
    private let screen: Screen?
    private let host: Host

    init(_ terminal: HostTerminal, _ manner: Manner, link: ServiceLink = ServiceLink()) {
        let screen = manner.isLive ? Screen(terminal) : nil
        let keyboard = manner.takesKeys ? Keyboard { Self.press($0, link, screen) } : nil
        var duties = Host.Duties(enter: { link.enter($0, $1) })
        duties.isSuspended = { then in
            link.send(GetStatus()) { then((try? $0.get())?.suspended ?? true) }
        }
        if let stop = manner.stop { duties.stop = { stop(link, $0) } }
        self.manner = manner
        self.link = link
        self.screen = screen
        host = Host(terminal, screen: screen, keyboard: keyboard, duties)
    }

    /// Connects, and sends the calls that `fill` adds, at once and before anything is answered.
    func begin(
        session: String, as name: String, startsService: Bool = false,
        _ fill: (Service.Calls) -> Void
    ) throws {
        let service = try Service(
            to: name, session: session, startsService: startsService
        ) { [self] in take($0) }
        link.connect(service)
        service.sendTogether(onFailure: { [self] in fail($0) }, fill)
    }

    /// Takes signals until the program ends. The service knows of the state `told`.
    func follow(_ signals: HostSignals, told: HostState) -> Never {
        host.follow(signals, told: told)
    }

    /// Ends the program.
    func leave(_ status: Int32) -> Never { host.leave(status) }

    /// The exit status that the end of a run stands for.
    static func status(of end: RunEnded) -> Int32 {
        guard end.reason == "outputFailed" else { return end.played > 0 ? 0 : 1 }
        let isUnavailable = ["server-unavailable", "server-lost"].contains(end.code ?? "")
        return isUnavailable ? Failure.unavailable : 1
    }

    private func take(_ notice: Notice) {
        manner.take(notice)
        switch notice {
        case .event(let event): show(event)
        case .readerGone: host.leaveByBrokenPipe()
        case .runEnded(let end): host.leave(Self.status(of: end))
        case .lost: lose()
        case .taskExpiring, .taskTerminated: break
        }
    }

    private func show(_ event: PlayerEvent) {
        if event.event == "error", let message = event.message { complain(message) }
        screen?.take(event)
    }

    private func complain(_ message: String) {
        let line = "undersong: \(message)"
        guard let screen else { return _ = writeAll(line + "\n", to: STDERR_FILENO) }
        screen.say([line], to: STDERR_FILENO)
    }

    private func lose() -> Never {
        if !host.isLeaving { complain("cannot \(manner.purpose): The service has gone away") }
        host.leave(Failure.unavailable)
    }

    private func fail(_ error: ControlError) -> Never {
        if error.code == .unavailable { lose() }
        complain(error.message)
        host.leave(Failure.status(of: error.code))
    }

    private static func press(_ key: Key, _ link: ServiceLink, _ screen: Screen?) {
        switch key {
        case .quit: kill(getpid(), SIGTERM)
        case .help: screen?.say(Key.helpLines)
        default: link.press(key)
        }
    }
}
