import ArgumentParser
import CommandOptions
import Control
import Glibc
import Playback

/// `undersong events`: shows what happens in a session, without playing anything itself.
struct EventsVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Write events as lines of JSON until the service or the reader ends.",
        discussion: """
            The events are those of play --json. On a terminal, the player counts as in the \
            foreground while this program is in the terminal's foreground.
            """)

    /// The kinds of events.
    enum Kind: String, Choice {
        case session, queue, item, state, time, jump, boundary, clock, settings, application
        case policy, mediaServicesWereLost, mediaServicesWereReset, routeChange, interruption
        case otherAudio, network, metadata, episode, refresh, processing, sleep, tags, badge, push
        case location, region, visit, error, end
    }

    @Option(
        help: ArgumentHelp(
            "Seconds between time events on an item's timeline, such as 1/100 or 0.25.",
            valueName: "seconds"))
    var interval = Interval(CMTime(value: 1, timescale: 100))

    @Flag(help: "Report no time events, which saves power.")
    var noTime = false

    @Option(help: "Only these kinds, such as time,state.", transform: Self.kinds)
    var kinds: [Kind]?

    @Option(
        help: ArgumentHelp(
            "Report when an item's time crosses this many seconds; may be repeated.",
            valueName: "seconds"))
    var at: [Seconds] = []

    @Flag(help: "Write lines of JSON (the only format).")
    var json = false

    @OptionGroup var session: SessionName

    func perform() throws {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let follower = Follower(terminal, Follower.Options(purpose: "follow the events"))
        let state = terminal.state
        try follower.begin(session: session.text, as: "follow the events") { calls in
            if terminal.exists {
                calls.add(Attach(state: state.rawValue, source: terminal.source))
            }
            calls.add(
                Subscribe(
                    interval: noTime ? nil : interval.wireTime, kinds: kinds?.map(\.rawValue),
                    boundaries: at.map(\.wireTime), isWritten: true),
                descriptors: [STDOUT_FILENO])
        }
        follower.follow(signals, reported: state)
    }

    private static func kinds(_ text: String) throws -> [Kind] {
        try text.split(separator: ",").map { try Kind.parse(String($0)) }
    }
}
