public import Dispatch
public import Playback

/// Plays the items of a queue one after the other, without a sample between them.
///
/// All methods may be called from any thread or task. They return when the command is given; the
/// session's events tell when it is heard, mostly some milliseconds later.
public final class QueuePlayer: Sendable {
    let engine: PlayerEngine

    init(engine: PlayerEngine) { self.engine = engine }

    // MARK: Whether it plays

    /// Wants sound: it runs as soon as there is an item and the session allows it.
    public func play() async { await engine.play() }

    /// Wants silence. The place is kept to the sample.
    public func pause() async { await engine.pause() }

    /// Wants silence when sound is wanted, and sound when it is not.
    public func togglePause() async { await engine.togglePause() }

    /// Falls silent within `seconds`, at the item's end at the latest, and then pauses where it is;
    /// the volume stays as it is set. Without sound it pauses at once. `play` takes a fade back, and so does what jumps.
    public func fadeOut(over seconds: Double) async {
        precondition(seconds > 0, "a fade takes a positive time")
        await engine.fadeOut(over: seconds)
    }

    /// Plays on as loud as before where a fade-out is on its way.
    public func cancelFadeOut() async { await engine.cancelFadeOut() }

    /// Pauses when the current item comes to `time`, exactly: the first sample behind that is the
    /// first one that is heard when it goes on. Nil takes that back, and so does whatever jumps.
    /// False when the item is behind `time` already, or none is on its way.
    @discardableResult
    public func pause(at time: CMTime?) async -> Bool {
        precondition(time?.isRational ?? true, "a pause needs a time that is a number")
        return await engine.pause(at: time)
    }

    // MARK: The queue

    /// Adds sources at the end of the queue and returns their items' ids, in the same order.
    @discardableResult
    public func append(_ sources: [MediaSource]) async -> [ItemID] {
        await append(sources.map { QueueEntry($0) })
    }

    /// Adds entries at the end of the queue and returns their items' ids, in the same order.
    @discardableResult
    public func append(_ entries: [QueueEntry]) async -> [ItemID] {
        guard !entries.isEmpty else { return [] }
        return await engine.append(entries)
    }

    /// Adds entries behind an item, or at the end for nil. Errors: the queue has no such item.
    @discardableResult
    public func insert(
        _ entries: [QueueEntry], after item: ItemID?
    ) async throws(QueueError) -> [ItemID] {
        try await engine.insert(entries, after: item)
    }

    /// Adds entries behind the current item.
    @discardableResult
    public func insertNext(_ entries: [QueueEntry]) async -> [ItemID] {
        await engine.insertNext(entries)
    }

    /// Moves an item behind another, or to the front for nil. Errors: the queue has no such item.
    public func move(_ item: ItemID, after other: ItemID?) async throws(QueueError) {
        try await engine.move(item, after: other)
    }

    /// Removes an item; the current one is left for the next. False when the queue has no such item.
    @discardableResult
    public func remove(_ item: ItemID) async -> Bool { await engine.remove(item) }

    /// Removes all items and stops.
    public func removeAllItems() async { await engine.removeAll() }

    /// The current item and those behind it, in the order in which they are played.
    public var items: [QueueItem] { get async { await engine.items } }

    /// The item that is heard or will be first; nil behind the end.
    public var currentItem: QueueItem? { get async { await engine.currentItem } }

    // MARK: Going elsewhere

    /// Leaves the current item for the next one, paused or playing as it is.
    public func advanceToNextItem() async { await engine.next() }

    /// Goes back to the item before the current one; at the first, to its start.
    public func returnToPreviousItem() async { await engine.previous() }

    /// Leaves the current item for another. Errors: the queue has no such item.
    public func jump(to item: ItemID) async throws(QueueError) { try await engine.jump(to: item) }

    /// Where the current item is heard, to the nanosecond; zero without an item.
    public var currentTime: CMTime { get async { await engine.currentTime } }

    /// Goes to `time` of the current item, exactly: the tolerances allow less, and need not be used
    /// (Apple: "the time seeked to will be within the range"). Behind the item's end, it ends.
    ///
    /// Returns whether it came to be: false when a newer seek or another jump came first, and when
    /// there is no item. Preconditions: `time` is a number, the tolerances are not negative.
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

    /// Goes `seconds` on, or back when they are negative, as `seek(to:)` does.
    @discardableResult
    public func seek(by seconds: Double) async -> Bool { await engine.seek(by: seconds) }

    /// Lets seeks that have not come to their end return false at once.
    public func cancelPendingSeeks() async { await engine.cancelPendingSeeks() }

    // MARK: How it plays

    /// Volume, rate, modes and the like.
    public var settings: PlayerSettings { get async { await engine.settings } }

    /// Changes the settings. What they say is heard at once; a volume is reached by a ramp of 20 ms.
    /// Values out of range are brought into it.
    public func set(_ change: @Sendable (inout PlayerSettings) -> Void) async {
        await engine.set { settings in
            change(&settings)
            for row in SettingTable.rows { row.clamp(&settings) }
        }
    }

    // MARK: Observing time

    /// Calls `handler` on `queue`, a serial one, each time the item's time crosses a multiple of
    /// `interval`, and whenever it jumps, starts or stops to run (behaviour 2.2). A queue that is
    /// too slow is called less often. Precondition: the interval is positive.
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue = .main,
        using handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        precondition(interval.isRational && interval > .zero, "an interval is positive")
        return engine.observers.add(.every(interval), on: { queue.async(execute: $0) }, handler)
    }

    /// Calls `handler` on `queue`, a serial one, each time playing crosses one of `times` of an item;
    /// not when a seek passes over it.
    public func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue = .main,
        using handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        precondition(times.allSatisfy(\.isRational), "boundary times are numbers")
        return engine.observers.add(.at(times.sorted()), on: { queue.async(execute: $0) }, handler)
    }

    /// Removes an observer: once this has returned no call of it begins. Precondition: `token` is
    /// from this player and was not removed before.
    public func removeTimeObserver(_ token: TimeObserverToken) {
        let isKnown = engine.observers.remove(token)
        precondition(isKnown, "the player has no such time observer")
    }
}
