public import Background
public import Playback

/// A player's place among the host and the other sounds: it owns the queue player, knows the host's
/// state and the declared capabilities, and decides whether sound may run. All methods may be called
/// from any thread or task; none waits for the sound path unless it says so.
public final class AudioSession: Sendable {
    /// The library's version.
    public static let version = Version.text

    /// The player of this session.
    public let player: QueuePlayer

    let engine: PlayerEngine
    private let hub: EventHub

    /// Makes a session. Nothing is opened before there is something to play.
    public init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        hub = EventHub()
        engine = PlayerEngine(configuration, hub: hub)
        player = QueuePlayer(engine: engine)
    }

    /// Runs the session, and any task that prefers it: then nothing wakes while nothing happens,
    /// whereas Swift's shared threads on Linux are watched by a timer that goes off every second.
    public var executor: SessionExecutor { engine.executor }

    /// Calls `handler` with every event from now on, in order, on the thread where it happened. The
    /// handler must neither block nor call the session: put the event aside and return.
    public func subscribe(_ handler: @escaping @Sendable (SessionEvent) -> Void) {
        hub.subscribe(handler)
    }

    /// Calls `handler` with events that tell how things are now, the first of them the session's
    /// beginning with `interval` in it, and then calls `then` before any other event happens. Both
    /// are called on one thread and must not block.
    public func greet(
        interval: CMTime?, _ handler: @escaping @Sendable (SessionEvent) -> Void,
        then: @escaping @Sendable () -> Void
    ) async {
        await engine.greet(interval: interval, handler, then: then)
    }

    /// The time by which it lives.
    package var clock: any HostClock { engine.configuration.clock }

    /// Where it is remembered how far long files were heard; nil: nowhere.
    package var fileMemory: (any FileMemory)? { engine.configuration.fileMemory }

    /// Publishes events when an item's time crosses the given ones from now on, each with the id
    /// that this returns as its `watch`.
    public func addTimeEvents(_ times: TimeEvents) async -> WatchID {
        await engine.addTimeEvents(times)
    }

    /// Publishes no more of them.
    public func removeTimeEvents(_ watch: WatchID) async {
        await engine.removeTimeEvents(watch)
    }

    /// Everything that says what the player does and why.
    public var report: SessionReport { get async { await engine.sessionReport } }

    /// Whether playing is wanted, allowed or not. It costs less than a whole report.
    public var wantsPlayback: Bool { get async { await engine.isPlaybackWanted } }

    /// Declares other background modes from now on; `source` names where, for the events.
    public func declare(_ capabilities: Capabilities, source: String) async {
        await engine.handle(.declare(capabilities, source: source))
    }

    /// Plays other entries in place of the queue's: what was on is over. Returns their items' ids.
    /// `output` is where the sound goes from then on, by default where it went.
    @discardableResult
    public func replaceQueue(
        with entries: [QueueEntry], output: OutputDestination? = nil
    ) async -> [ItemID] {
        await engine.replaceQueue(with: entries, output: output)
    }

    /// Plays items that are staged in place of the queue's, at once; `commitReplacement` makes that
    /// durable.
    package func play(_ ids: [ItemID], output: OutputDestination?) async {
        await engine.play(ids, output: output)
    }

    /// Begins to connect to where the next stream is expected to go; without one the connection is
    /// closed again after some seconds.
    package func prepareOutput(for destination: OutputDestination) async {
        await engine.prepareOutput(for: destination)
    }

    /// Makes the next stream connect to the sound server once more, which may not let it in again.
    package func renewConnection() async { await engine.renewConnection() }

    /// Returns when the queue's replacement is durable, or cannot be made so now.
    package func commitReplacement() async { await engine.commitReplacement() }

    /// Makes an edit of the queue when it is durable; `name` says what is done, for errors: `clear
    /// the queue`. Errors: the queue has no such item, or the disk does not take the edit; nothing
    /// is changed then.
    package func commit(_ change: QueueChange, as name: String) async throws(QueueError) {
        try await engine.commit(change, as: name)
    }

    /// Takes the last edit back. Errors: there is none.
    package func undo() async throws(QueueError) { try await engine.undo() }

    /// What silences the player from now on is the process's end: that sound is wanted stays on
    /// record.
    package func willStop() async { await engine.willStop() }

    /// Returns when what the player does now is durable, or cannot be made so.
    package func flush() async { await engine.flush() }

    /// Items of the queue whose path or title holds all of `words`, with their places, in play order;
    /// `limit` of them at most, and none without a store.
    package func search(_ words: [String], limit: Int) async -> [(place: Int, item: QueueItem)] {
        guard let store = engine.store else { return [] }
        return await engine.places(of: store.search(words, limit: limit))
    }

    /// A part of the queue, in play order.
    public func page(offset: Int, limit: Int) async -> QueuePage {
        await engine.page(offset: offset, limit: limit)
    }

    /// Wants silence, gives the sound device back, and tells that the run is over. The queue and
    /// the place in it stay.
    public func halt() async { await engine.stopRun() }

    /// Begins: publishes the first events and handles the player's reports until it has ended.
    /// Call it once, after subscribing, in a task of its own.
    public func run() async { await engine.run() }

    /// The host has entered `state`. `source` names where that was seen, for the event.
    public func enter(_ state: ApplicationState, source: String) async {
        await engine.enter(state, source: source)
    }

    /// Job control is about to stop this process, or has let it go on: nothing sounds in between,
    /// and it goes on with the very next sample.
    public func setHostStopped(_ isStopped: Bool) async {
        await engine.handle(.setHostStopped(isStopped))
    }

    /// Whether the session policy allows sound now.
    public var isAllowed: Bool { get async { await engine.permission.isAllowed } }

    /// Publishes an error that was met outside the player, such as a playlist that cannot be read.
    public func report(_ error: MediaError) async {
        await engine.report(SessionFailure(error, item: nil))
    }

    /// Publishes a failure of the program around the player.
    public func report(_ failure: SessionFailure) async { await engine.report(failure) }

    /// Publishes that a run had nothing to play, unless the queue has something.
    public func publishEmptyRun(_ end: SessionEnd) async { await engine.publishEmptyRun(end) }

    /// Returns when nothing sounds, at the latest 150 ms later: it silences nothing by itself.
    public func silence() async { await engine.silence() }

    /// Returns when it is known what is played: the item has been opened, or another stands in for
    /// it. Waits a second at most.
    public func settle() async { await engine.settle() }

    /// Calls `handler` when no file is being read through for its index any more, on any thread.
    /// False, and no call, when none is.
    public func whenIndexed(_ handler: @escaping @Sendable () -> Void) -> Bool {
        engine.indexer.whenDone(handler)
    }

    /// Gives up the indexes that are being made.
    public func cancelIndexing() { engine.indexer.cancel() }

    /// Silences the player and ends the session. Returns when the last event is published, at most
    /// 200 ms later, whatever the sound server does.
    public func stop() async { await engine.stop() }

    /// Returns when the session has ended: the queue was played, it was stopped, or the output has
    /// failed.
    public func waitForEnd() async -> SessionEnd { await engine.waitForEnd() }
}
