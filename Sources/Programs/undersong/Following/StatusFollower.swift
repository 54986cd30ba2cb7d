import Glibc
import Synchronization
import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Writes a line about the status whenever that line changes.
final class StatusFollower: Sendable {
    /// The kinds of events after which the status may be another one.
    private static let kinds = [
        "queue", "item", "state", "jump", "settings", "metadata", "tags", "application", "network",
        "time",
    ]

    private let line: @Sendable (PlayerStatus) -> String
    private let isTimed: Bool
    private let link = Service()
    private let last = Mutex<String?>(nil)

    /// `line` formats a status. With `isTimed` the position is part of it.
    init(_ line: @escaping @Sendable (PlayerStatus) -> String, isTimed: Bool) {
        self.line = line
        self.isTimed = isTimed
    }

    /// Follows the session until the service or the reader ends. If it `waits`, it follows the next
    /// service, too; until then `emptyLine` is shown, if there is one.
    func run(session: String, waits: Bool, emptyLine: String?) throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let name = "status --follow"
        var options = Follower.Options(
            purpose: "follow the status", ownsRun: false,
            handle: { [self] in if case .event = $0 { ask() } })
        let interval = isTimed ? WireTime(value: 1, timescale: 1) : nil
        let fill = { @Sendable (calls: Service.Calls) in
            calls.add(Subscribe(interval: interval, kinds: Self.kinds))
        }
        if waits {
            options.waiting = Follower.Waiting(session: session, name: name, fill: fill) {
                [self] in
                if let emptyLine { show(emptyLine) }
            }
        }
        let follower = Follower(terminal, options, link: link)
        try follower.begin(session: session, as: name, startsService: true, fill)
        ask()
        follower.follow(signals, reported: terminal.state)
    }

    private func ask() {
        link.send(GetStatus()) { [self] reply in
            if let status = try? reply.get() { show(line(status)) }
        }
    }

    private func show(_ text: String) {
        last.withLock { last in
            guard text != last else { return }
            last = text
            writeOutput(text + "\n")
        }
    }
}
