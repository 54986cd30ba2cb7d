import ArgumentParser
import Glibc
import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong events`: shows what happens in a session, without playing anything itself.
struct EventsVerb: Verb {
    static let configuration = described(
        "events", "Write events as lines of JSON.",
        discussion: """
            The events are those of play --json. They end with the service, or with --wait continue \
            when it runs again, and end with the reader. On a terminal, the player counts as in the \
            foreground while this program is in the terminal's foreground.

            KINDS are \(PlayerEvent.Kind.names.joined(separator: ", ")).
            """)

    @OptionGroup var times: TimeOptions

    @Option(help: "Only these kinds, such as time,state.", transform: Self.kinds)
    var kinds: [String]?

    @Flag(help: "Wait for the service, at first and whenever it has ended.") var wait = false

    @Flag(help: "Write lines of JSON (the only format).") var json = false

    @OptionGroup var session: SessionName

    func perform() throws {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let purpose = "follow the events"
        let subscription = Subscribe(
            interval: times.usedInterval?.wireTime, kinds: kinds,
            boundaries: times.at.map(\.wireTime), isWritten: true)
        let fill = { @Sendable (calls: Service.Calls) in
            if terminal.exists {
                calls.add(Attach(state: terminal.state, source: terminal.source))
            }
            calls.add(subscription, descriptors: [STDOUT_FILENO])
        }
        var options = Follower.Options(purpose: purpose)
        if wait {
            options.waiting = Follower.Waiting(session: session.text, name: "events", fill: fill)
        }
        let follower = Follower(terminal, options)
        let state = terminal.state
        do {
            try follower.begin(session: session.text, as: "events", fill)
        } catch {
            guard let waiting = options.waiting else { throw error }
            complain("no service is running, waiting for it")
            follower.wait(waiting)
        }
        follower.follow(signals, reported: state)
    }

    private static func kinds(_ text: String) throws -> [String] {
        try text.split(separator: ",").map(String.init).map { word in
            if PlayerEvent.Kind.names.contains(word) { return word }
            let meant = Suggestion.text(for: word, among: PlayerEvent.Kind.names)
            throw ValidationError("'\(word)' is not a kind of event\(meant)")
        }
    }
}
