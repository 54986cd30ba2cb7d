public import UndersongAudioIO
public import UndersongBackground
package import UndersongBase
public import UndersongPlayback

/// Represents a player among the host and other audio: it owns the queue player, tracks the host's
/// state and the declared capabilities, and decides whether sound may run. All methods may be
/// called from any thread or task; none waits for the sound path unless documented.
public final class AudioSession: Sendable {
    /// The library's version.
    public static let version = Version.text

    /// The player of this session.
    public let player: QueuePlayer

    let engine: PlayerEngine
    private let hub: EventHub

    /// Creates a session. Nothing is opened before there is something to play.
    public init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        hub = EventHub()
        engine = PlayerEngine(configuration, hub: hub)
        player = QueuePlayer(engine: engine)
    }

    /// Runs the session, and any task that prefers it. With this executor nothing wakes up while
    /// nothing happens, whereas Swift's shared threads on Linux are watched by a timer that fires
    /// every second.
    public var executor: SessionExecutor { engine.executor }

    /// Calls `handler` with every event from now on, in order, on the thread where it happens. The
    /// handler must neither block nor call the session: it should store the event and return.
    public func subscribe(_ handler: @escaping @Sendable (PlayerEvent) -> Void) {
        hub.subscribe(handler)
    }

    /// Calls `handler` with events that describe the current state, starting with the session event
    /// with `interval` in it, and then calls `then` before any other event happens. Both are called
    /// on one thread and must not block.
    public func sendSnapshot(
        interval: CMTime?, sleep: SleepReport = SleepReport(),
        _ handler: @escaping @Sendable (PlayerEvent) -> Void,
        then: @escaping @Sendable () -> Void
    ) async {
        await engine.sendSnapshot(interval: interval, sleep: sleep, handler, then: then)
    }

    /// The clock that the session uses.
    package var clock: any HostClock { engine.configuration.clock }

    /// Fetches playlists on the network; nil if there is no way there.
    package var playlistFetcher: PlaylistFetcher? {
        let configuration = engine.configuration
        return configuration.network.map { PlaylistFetcher($0, clock: configuration.clock) }
    }

    /// The store of positions in long files; nil for none.
    package var fileMemory: (any FileMemory)? { engine.configuration.fileMemory }

    /// Publishes events when an item's time crosses the given times from now on, each with the
    /// returned id as its `watch`.
    public func addTimeEvents(_ times: TimeEvents) async -> WatchID {
        await engine.addTimeEvents(times)
    }

    /// Stops publishing these events.
    public func removeTimeEvents(_ watch: WatchID) async {
        await engine.removeTimeEvents(watch)
    }

    /// The full state of the player and the reasons for it.
    public var report: SessionReport { get async { await engine.sessionReport } }

    /// True if playback is wanted, allowed or not. Cheaper than a full report.
    public var wantsPlayback: Bool { get async { await engine.isPlaybackWanted } }

    /// Declares other background modes from now on; `source` says where, for events.
    public func declare(_ capabilities: Capabilities, source: String) async {
        await engine.handle(.declare(capabilities, source: source))
    }

    /// Replaces the queue by other entries and plays them, ending the current run. Returns the ids
    /// of the items. `output` is where to send the sound from then on, by default the previous
    /// output.
    @discardableResult
    public func replaceQueue(
        with entries: [QueueEntry], output: OutputDestination? = nil
    ) async -> [ItemID] {
        await engine.replaceQueue(with: entries, output: output)
    }

    /// Replaces the queue by staged items and plays them at once, the first at a rate, if one is given;
    /// `commitReplacement` makes that durable.
    package func play(_ ids: [ItemID], rate: Double? = nil, output: OutputDestination?) async {
        await engine.play(ids, rate: rate, output: output)
    }

    /// Starts connecting to where the next stream is expected to go; if none comes, the connection
    /// is closed after some seconds.
    package func prepareOutput(for destination: OutputDestination) async {
        await engine.prepareOutput(for: destination)
    }

    /// Makes the next stream reconnect to the sound server, which may refuse access this time.
    package func renewConnection() async { await engine.renewConnection() }

    /// Returns when the queue's replacement is durable, or cannot be made so now.
    package func commitReplacement() async { await engine.commitReplacement() }

    /// Applies an edit to the queue once it is durable; `name` describes it in errors: `clear the
    /// queue`. Throws, without changing anything, if the queue does not contain an item or the disk
    /// does not take the edit. An edit with a `key` is made only once: after that it throws
    /// `alreadyDone`.
    package func commit(
        _ change: QueueChange, as name: String, key: String? = nil
    ) async throws(QueueError) {
        try await engine.commit(change, as: name, key: key)
    }

    /// Undoes the last edit. Throws if there is none.
    package func undo() async throws(QueueError) { try await engine.undo() }

    /// Makes the edit again that was undone last. Throws if there is none, or if an edit was made
    /// since.
    package func redo() async throws(QueueError) { try await engine.redo() }

    /// Announces the end of the process: when the player goes silent from now on, the record still
    /// says that playback is wanted.
    package func willStop() async { await engine.willStop() }

    /// Returns when the player's current state is durable, or cannot be made so.
    package func flush() async { await engine.flush() }

    /// Items of the queue that fulfil the condition, with their places, in play order: at most
    /// `limit` of them from the `offset`th on, and how many there are in all. None without a store.
    package func search(
        _ condition: ItemCondition, offset: Int = 0, limit: Int = .max
    ) async -> (items: [(place: Int, item: QueueItem)], count: Int) {
        guard let store = engine.store else { return ([], 0) }
        let ids = await store.search(condition, limit: .max)
        return (await engine.places(of: ids.dropFirst(offset).prefix(limit)), ids.count)
    }

    /// The order of the whole queue, and the current item.
    package var order: QueueOrder { get async { await engine.order } }

    /// Passes every item of the queue, and some that have left it, to `body` on another thread, in
    /// no particular order; none without a store. Returns false if not all could be read.
    package func forEachItem(_ body: @escaping @Sendable (QueueItem) -> Void) async -> Bool {
        await engine.store?.forEachItem(body) ?? true
    }

    /// Part of the queue, in play order.
    public func page(offset: Int, limit: Int) async -> QueuePage {
        await engine.page(offset: offset, limit: limit)
    }

    /// Pauses, gives up the sound device, and ends the run. The queue and the position stay.
    public func halt() async { await engine.stopRun() }

    /// Publishes the first events, and then handles the player's reports until the session has
    /// ended. Call it once, after subscribing, in a task of its own.
    public func run() async { await engine.run() }

    /// Enters a state of the host. `source` says where it was observed, for the event.
    public func enter(_ state: ApplicationState, source: String) async {
        await engine.enter(state, source: source)
    }

    /// Reports that job control is about to stop this process, or has continued it: nothing plays
    /// in between, and playback continues with the very next sample.
    public func setHostStopped(_ isStopped: Bool) async {
        await engine.handle(.setHostStopped(isStopped))
    }

    /// True if the session policy allows sound now.
    public var isAllowed: Bool { get async { await engine.permission.isAllowed } }

    /// Publishes an event of the surrounding program, such as an unreadable playlist or a step of a
    /// push.
    package func report(_ kind: PlayerEvent.Kind) async { await engine.report(kind) }

    /// Publishes that a run had nothing to play, unless the queue has something.
    public func publishEmptyRun(_ end: SessionEnd) async { await engine.publishEmptyRun(end) }

    /// Returns when nothing is playing, after 150 ms at most; it does not silence anything itself.
    public func silence() async { await engine.silence() }

    /// Returns when it is known what plays: the item is open, or another stands in for it. Waits
    /// one second at most.
    public func settle() async { await engine.settle() }

    /// Calls `handler`, on any thread, when no file is being read for its index any more. Returns
    /// false, without a call, if none is being read.
    public func whenIndexed(_ handler: @escaping @Sendable () -> Void) -> Bool {
        engine.indexer.whenDone(handler)
    }

    /// Cancels the indexing in progress.
    public func cancelIndexing() { engine.indexer.cancel() }

    /// Silences the player and ends the session. Returns when the last event is published, after
    /// 200 ms at most, whatever the sound server does.
    public func stop() async { await engine.stop() }

    /// Returns when the session has ended: the queue was played, it was stopped, or the output has
    /// failed.
    public func waitForEnd() async -> SessionEnd { await engine.waitForEnd() }
}

extension AudioSession {
    /// The state of the sound server. Connects if necessary, and waits up to `seconds` for the
    /// server to answer.
    public func outputs(waitingUpTo seconds: Double) async -> Outputs {
        await engine.outputs(waitingUpTo: seconds)
    }

    /// The ongoing interruptions, in the order in which they began.
    package var interruptions: [InterruptionSource] {
        get async { await engine.permission.interruptions }
    }

    /// The call that interrupts the session; nil for none.
    package var call: InterruptionSource? { get async { await engine.permission.call } }

    /// Calls `handler`, which must not block, whenever `call` has changed.
    package func observeCalls(_ handler: @escaping @Sendable () -> Void) async {
        await engine.observeCalls(handler)
    }

    /// Sends the sound to `output` from now on. Anything playing elsewhere is silenced before this
    /// returns, which ends its run; the queue and the position stay.
    public func setOutput(_ output: OutputDestination) async { await engine.setOutput(output) }

    /// Switches to the named device, or to the default one for nil, and saves that in the settings.
    public func setOutputDevice(_ name: String?) async { await engine.setOutputDevice(name) }

    /// Returns once the sound is on the device on which it is to play, or there is no sound. False
    /// if the sound server refuses to move it there, or has not done so after `seconds`.
    package func soundHasMoved(within seconds: Double) async -> Bool {
        await engine.streamHasMoved(within: seconds)
    }

    /// Begins an interruption: the session goes silent, but its intent to play is unchanged.
    /// Interruptions nest (behaviour 3.1).
    public func beginInterruption(_ source: InterruptionSource) async {
        await engine.handle(.interruptionBegan(source))
    }

    /// Ends an interruption. After the last one the session resumes at its position, if it
    /// `shouldResume` and playback is wanted. Returns false if none with that source has begun.
    @discardableResult
    public func endInterruption(
        _ source: InterruptionSource, shouldResume: Bool
    ) async -> Bool {
        await engine.endInterruption(source, shouldResume: shouldResume)
    }
}
