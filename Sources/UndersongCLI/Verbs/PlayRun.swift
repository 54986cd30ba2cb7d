import CommandOptions
import Control
import Glibc

/// What `undersong play` does: asks the service for a run, and follows it to its end.
struct PlayRun: Equatable {
    /// What to play; nil: the queue as it is.
    var files: Files?
    /// Whether events are lines of JSON on a terminal too.
    var isJSON = false
    /// Overrides whether the `audio` mode is declared.
    var backgroundAudio: Bool?
    /// Where the host's state comes from.
    var host = HostOption.auto
    /// Seconds between time events; nil: none.
    var interval: WireTime? = WireTime(value: 1, timescale: 100)
    /// Times that are reported when they are crossed.
    var boundaries: [WireTime] = []
    /// What to change before it begins.
    var settings = Settings.Change()
    /// When to stop by itself; nil: as was said before.
    var sleep: Sleep?
    /// Where the sound goes; nil: where it went.
    var output: OutputChoice? = Self.usualOutput
    /// Seconds to wait for a sound server, where the service was started for this run.
    var outputDeadline = 10.0
    /// The session's name.
    var session = SessionName.standard

    /// The sound server that this program's environment names, which the service's may not.
    static var usualServer: String? { Environment["PULSE_SERVER"] }
    /// Where files are played for which nothing else is said.
    static var usualOutput: OutputChoice {
        OutputOption.pulse.choice(server: usualServer, device: nil)
    }

    /// Plays, until the run ends or a signal comes.
    func perform() throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal(option: host)
        let isLive = !isJSON && isatty(STDOUT_FILENO) == 1
        let manner = Follower.Manner(
            purpose: "follow the queue", isLive: isLive, takesKeys: true,
            stop: { link, _ in link.send(Command(.stop)) }, deadline: deadline,
            explainsSilence: true)
        let follower = Follower(terminal, manner)
        let state = terminal.state
        try follower.begin(
            session: session, as: "play", startsService: true, soundServer: soundServer
        ) { calls in
            calls.add(Attach(state: state.rawValue, source: terminal.source))
            subscribe(calls, isLive: isLive)
            calls.add(play, descriptors: files?.descriptors ?? [])
        }
        follower.follow(signals, reported: state)
    }

    /// Asks for events: those of a terminal's line, or all of them on the standard output, and here
    /// what goes to the standard error, and shows whether there is a sound server.
    private func subscribe(_ calls: Service.Calls, isLive: Bool) {
        if isLive {
            calls.add(Subscribe(interval: LiveLine.interval.wireTime, boundaries: boundaries))
            return
        }
        calls.add(
            Subscribe(
                interval: nil,
                kinds: [
                    "application", "error", "state", "mediaServicesWereLost",
                    "mediaServicesWereReset",
                ]))
        calls.add(
            Subscribe(interval: interval, boundaries: boundaries, isWritten: true),
            descriptors: [STDOUT_FILENO])
    }

    /// The server that a service which is started for this connects to; empty: the usual one.
    private var soundServer: String? {
        guard case .pulse(let server, _, _) = output else { return nil }
        return server ?? ""
    }

    private var deadline: Follower.Deadline? {
        switch output ?? Self.usualOutput {
        case .pulse(let server, _, _), .pulseSimple(let server, _, _):
            Follower.Deadline(seconds: outputDeadline, server: server)
        case .null: nil
        }
    }

    private var play: Play {
        Play(
            files: files, output: output, backgroundAudio: backgroundAudio, settings: settings,
            sleep: sleep)
    }
}
