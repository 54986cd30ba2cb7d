public import Dispatch
public import UndersongPlayback

/// Plays the items of a queue without a gap.
///
/// All methods may be called from any thread or task. They return when the command is issued; the
/// session's events report when it is heard, usually some milliseconds later.
public final class QueuePlayer: Sendable {
    let engine: PlayerEngine

    init(engine: PlayerEngine) { self.engine = engine }

    // MARK: Playing and pausing

    /// Starts or resumes playback: sound runs as soon as there is an item and the session allows
    /// it.
    public func play() async { await engine.play() }

    /// Pauses. The position is kept to the sample.
    public func pause() async { await engine.pause() }

    /// Pauses if playback is wanted, otherwise plays.
    public func togglePause() async { await engine.togglePause() }

    /// Lets what is begun next, by `play` or a jump, fade in over `seconds`; nil cancels that. The
    /// volume setting stays. A jump during the fade ends it.
    public func fadeIn(over seconds: Double?) async {
        precondition(seconds.map { $0 > 0 } ?? true, "a fade takes a positive time")
        await engine.fadeIn(over: seconds)
    }

    /// Fades out over `seconds`, at most until the end of the item, and then pauses; the volume
    /// setting stays. Pauses at once if nothing is playing. `play` and jumps cancel a fade.
    public func fadeOut(over seconds: Double) async {
        precondition(seconds > 0, "a fade takes a positive time")
        await engine.fadeOut(over: seconds)
    }

    /// Cancels a fade-out in progress and restores the volume.
    public func cancelFadeOut() async { await engine.cancelFadeOut() }

    /// Pauses exactly when the current item reaches `time`: the first sample after it is the first
    /// one heard on resuming. Nil cancels that, and so does any jump. Returns false if the item is
    /// already past `time`, or if none is scheduled.
    @discardableResult
    public func pause(at time: CMTime?) async -> Bool {
        precondition(time?.isRational ?? true, "a pause needs a time that is a number")
        return await engine.pause(at: time)
    }

    // MARK: The queue

    /// Appends sources to the queue and returns the ids of their items in the same order.
    @discardableResult
    public func append(_ sources: [MediaSource]) async -> [ItemID] {
        await append(sources.map { QueueEntry($0) })
    }

    /// Appends entries to the queue and returns the ids of their items in the same order.
    @discardableResult
    public func append(_ entries: [QueueEntry]) async -> [ItemID] {
        guard !entries.isEmpty else { return [] }
        return await engine.append(entries)
    }

    /// Inserts entries after an item, or at the end for nil. Throws if the queue has no such item.
    @discardableResult
    public func insert(
        _ entries: [QueueEntry], after item: ItemID?
    ) async throws(QueueError) -> [ItemID] {
        try await engine.insert(entries, after: item)
    }

    /// Inserts entries after the current item.
    @discardableResult
    public func insertNext(_ entries: [QueueEntry]) async -> [ItemID] {
        await engine.insertNext(entries)
    }

    /// Moves an item after another, or to the front for nil. Throws if the queue has no such item.
    public func move(_ item: ItemID, after other: ItemID?) async throws(QueueError) {
        try await engine.move(item, after: other)
    }

    /// Removes an item; if it is current, the next one becomes current. Returns false if there is
    /// none.
    @discardableResult
    public func remove(_ item: ItemID) async -> Bool { await engine.remove(item) }

    /// Removes all items and stops.
    public func removeAllItems() async { await engine.removeAll() }

    /// The current item and those after it, in play order.
    public var items: [QueueItem] { get async { await engine.items } }

    /// The item that is heard, or will be first; nil at the end of the queue.
    public var currentItem: QueueItem? { get async { await engine.currentItem } }

    // MARK: Moving within the queue and the item

    /// Skips to the next item, without changing whether it plays.
    public func advanceToNextItem() async { await skip(ahead: 1) }

    /// Returns to the previous item, or to the start of the first one.
    public func returnToPreviousItem() async { await skip(back: 1) }

    /// Skips so many items ahead, 1 or more, of which only the last one is heard.
    package func skip(ahead count: Int) async { await engine.next(count) }

    /// Returns by so many items, 1 or more, or to the start of the first one.
    package func skip(back count: Int) async { await engine.previous(count) }

    /// Jumps to another item. Throws if the queue has no such item.
    public func jump(to item: ItemID) async throws(QueueError) { try await engine.jump(to: item) }

    /// The position in the current item, to the nanosecond; zero without an item.
    public var currentTime: CMTime { get async { await engine.currentTime } }

    /// Seeks to exactly `time` in the current item: the tolerances allow less, and need not be used
    /// (Apple: "the time seeked to will be within the range"). Past the item's end, the item ends.
    ///
    /// Returns false if a newer seek or another jump superseded it, or if there is no item.
    /// Preconditions: `time` is a number, and the tolerances are not negative.
    @discardableResult
    public func seek(
        to time: CMTime, toleranceBefore: CMTime = .zero, toleranceAfter: CMTime = .zero
    ) async -> Bool {
        precondition(time.isRational, "a seek needs a time that is a number")
        precondition(
            toleranceBefore >= .zero && toleranceAfter >= .zero,
            "a seek's tolerances are not negative")
        return await engine.seek(to: time)
    }

    /// Seeks by `seconds`, back if negative, as `seek(to:)` does.
    @discardableResult
    public func seek(by seconds: Double) async -> Bool { await engine.seek(by: seconds) }

    /// Makes pending seeks return false at once.
    public func cancelPendingSeeks() async { await engine.cancelPendingSeeks() }

    // MARK: Settings

    /// The volume, rate, modes and other settings.
    public var settings: PlayerSettings { get async { await engine.settings } }

    /// Changes the settings. The change is heard at once; the volume changes in a ramp of 20 ms.
    /// Values out of range are clamped.
    public func set(_ change: @Sendable (inout PlayerSettings) -> Void) async {
        await engine.set { settings in
            change(&settings)
            for row in SettingTable.rows { row.clamp(&settings) }
        }
    }

    // MARK: Observing time

    /// Calls `handler` on `queue`, a serial queue, each time the item's time crosses a multiple of
    /// `interval`, and whenever it jumps, starts or stops (behaviour 2.2). A queue that is too slow
    /// gets fewer calls. Precondition: the interval is positive.
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue = .main,
        using handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        precondition(interval.isRational && interval > .zero, "an interval is positive")
        return engine.observers.add(.every(interval), on: { queue.async(execute: $0) }, handler)
    }

    /// Calls `handler` on `queue`, a serial queue, each time playback crosses one of `times` of an
    /// item, but not when a seek skips over it.
    public func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue = .main,
        using handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        precondition(times.allSatisfy(\.isRational), "boundary times are numbers")
        return engine.observers.add(.at(times.sorted()), on: { queue.async(execute: $0) }, handler)
    }

    /// Removes an observer; no call of it begins after this returns. Precondition: `token` is from
    /// this player and was not removed before.
    public func removeTimeObserver(_ token: TimeObserverToken) {
        let isKnown = engine.observers.remove(token)
        precondition(isKnown, "the player has no such time observer")
    }
}
