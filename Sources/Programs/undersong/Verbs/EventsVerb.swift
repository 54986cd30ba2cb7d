import ArgumentParser
import Glibc
import UndersongBackground
import UndersongCommandOptions
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

    @Option(help: "Write only these kinds, such as time,state.", transform: Self.kinds)
    var kinds: [String]?

    @Flag(help: "Wait for the service, now and whenever it ends.") var wait = false
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

/// `undersong watch`: shows what plays, without playing anything itself.
struct WatchVerb: Verb {
    static let configuration = described(
        "watch", "Watch what is playing in one line, with the keys of play.",
        discussion: """
            The keys q and d, and signals, end only this program. Unlike play, it does not bring the \
            player to the foreground. Programs should read 'undersong events' or 'undersong status \
            --follow'.
            """)

    @OptionGroup var session: SessionName

    func perform() throws {
        guard isatty(STDOUT_FILENO) == 1 else {
            throw Failure(
                "cannot watch: Standard output is not a terminal; 'undersong events' writes events")
        }
        let signals = HostSignals()
        let terminal = HostTerminal()
        var options = Follower.Options(
            purpose: "watch", isLive: true, takesKeys: true, ownsRun: false)
        options.keys = try KeyMap(Configuration.found())
        let follower = Follower(terminal, options)
        try follower.begin(session: session.text, as: "watch") { calls in
            calls.add(Subscribe(interval: LiveLine.interval.wireTime))
        }
        follower.follow(signals, reported: terminal.state)
    }
}
