public import Background
public import Playback

/// A player's place among the host and the other sounds: it owns the queue player, knows the host's
/// state and the declared capabilities, and decides whether sound may run. All methods may be called
/// from any thread or task; none waits for the sound path unless it says so.
public final class AudioSession: Sendable {
    /// The library's version.
    public static let version = "0.1.0"

    /// The player of this session.
    public let player: QueuePlayer

    private let engine: PlayerEngine
    private let hub: EventHub

    /// Makes a session. Nothing is opened before there is something to play.
    public init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        hub = EventHub()
        engine = PlayerEngine(configuration, hub: hub)
        player = QueuePlayer(engine: engine)
    }

    /// Runs the session, and any task that prefers it: then nothing wakes while nothing happens,
    /// whereas Swift's shared threads on Linux are watched by a timer that goes off every second.
    public var executor: any TaskExecutor { engine.executor }

    /// Calls `handler` with every event from now on, in order, on the thread where it happened. The
    /// handler must neither block nor call the session: put the event aside and return.
    public func subscribe(_ handler: @escaping @Sendable (SessionEvent) -> Void) {
        hub.subscribe(handler)
    }

    /// Begins: publishes the first events and handles the player's reports until it has ended.
    /// Call it once, after subscribing, in a task of its own.
    public func run() async { await engine.run() }

    /// The host has entered `state`. `source` names where that was seen, for the event.
    public func enter(_ state: ApplicationState, source: String) async {
        await engine.enter(state, source: source)
    }

    /// Job control is about to stop this process, or has let it go on: nothing sounds in between,
    /// and it goes on with the very next sample.
    public func setHostStopped(_ isStopped: Bool) async { await engine.setHostStopped(isStopped) }

    /// Whether the session policy allows sound now.
    public var isAllowed: Bool { get async { await engine.isAllowed } }

    /// Publishes an error that was met outside the player, such as a playlist that cannot be read.
    public func report(_ error: MediaError) async { await engine.report(error) }

    /// Silences the player and ends the session. Returns when the last event is published, at most
    /// 200 ms later, whatever the sound server does.
    public func stop() async { await engine.stop() }

    /// Returns when the session has ended: the queue was played, it was stopped, or the output has
    /// failed.
    public func waitForEnd() async -> SessionEnd { await engine.waitForEnd() }
}
