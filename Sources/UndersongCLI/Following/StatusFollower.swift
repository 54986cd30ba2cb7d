import CommandOptions
import Control
import Glibc
import Playback
import Synchronization

/// Writes a line about the status whenever that line changes.
final class StatusFollower: Sendable {
    /// The kinds of events after which the status may be another one.
    private static let kinds = [
        "queue", "item", "state", "jump", "settings", "metadata", "tags", "application", "network",
        "time",
    ]

    private let line: @Sendable (Status) -> String
    private let isTimed: Bool
    private let link = ServiceConnection()
    private let last = Mutex<String?>(nil)

    /// `line` formats a status. With `isTimed` the position is part of it.
    init(_ line: @escaping @Sendable (Status) -> String, isTimed: Bool) {
        self.line = line
        self.isTimed = isTimed
    }

    /// Follows the session until the service or the reader ends.
    func run(session: String) throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let options = Follower.Options(
            purpose: "follow the status", ownsRun: false,
            take: { [self] in if case .event = $0 { ask() } })
        let follower = Follower(terminal, options, link: link)
        let interval = isTimed ? WireTime(value: 1, timescale: 1) : nil
        try follower.begin(session: session, as: "follow the status", startsService: true) {
            $0.add(Subscribe(interval: interval, kinds: Self.kinds))
        }
        ask()
        follower.follow(signals, reported: terminal.state)
    }

    private func ask() {
        link.send(GetStatus()) { [self] reply in
            guard let status = try? reply.get() else { return }
            let text = line(status)
            last.withLock { last in
                guard text != last else { return }
                last = text
                writeOutput(text + "\n")
            }
        }
    }
}
