import Dispatch
public import Foundation
public import Observation
import Synchronization
import UndersongAudioSession
public import UndersongPlayback

/// Repeats an item in a queue player without a gap: keeps at least three copies of it in the queue
/// and moves each one to the end of the copies once it was heard (behaviour 2.4, T33-T35).
///
/// Keep it while the item is to be repeated: releasing it ends the repetition. Meanwhile the queue
/// belongs to the looper; if other items are inserted before the copies, it pauses its work. Any
/// thread may call it; it works on the main queue.
open class AVPlayerLooper: NSObject, NSKeyValueObservation.Observable, Observable,
    @unchecked Sendable
{
    /// The state of the repetition, with Apple's raw values.
    public enum Status: Int, Sendable {
        /// The item is being opened.
        case unknown
        /// The copies are in the queue.
        case ready
        /// The item cannot be repeated: `error` says why.
        case failed
        /// `disableLooping()` was called.
        case cancelled
    }

    /// The place at which the looper inserts its copies, with Apple's raw values.
    public enum ItemOrdering: Int, Sendable {
        /// Before the existing items: the copies play now.
        case loopingItemsPrecedeExistingItems
        /// After the existing items: the copies play when their turn comes.
        case loopingItemsFollowExistingItems
    }

    struct State {
        var status = Status.unknown
        var error: (any Error)?
        var loopCount = 0
        var replicas: [AVPlayerItem] = []
        /// The player's action at an item's end before looping began.
        var actionBefore: AVPlayer.ActionAtItemEnd?
        /// The copy that is heard or will be next.
        var current: AVPlayerItem?
        /// True if all copies were heard before the main queue could put one back.
        var hasRunDry = false
        var observation: NSKeyValueObservation?
    }

    /// The least number of copies in the queue.
    private static let leastReplicas = 3
    /// Short items get more copies: this many seconds are kept in the queue, so that the next copy
    /// is added in time.
    private static let secondsAhead = 2.0
    private static let mostReplicas = 64

    /// The observers of this looper.
    public let keyValueObservers = NSKeyValueObservation.Observers()
    let registrar = ObservationRegistrar()
    let player: AVQueuePlayer
    let template: AVPlayerItem
    let range: CMTimeRange
    private let ordering: ItemOrdering
    let state = Mutex(State())

    /// Repeats the whole of `itemToLoop` in `player`.
    public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
        self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
    }

    /// Repeats `loopRange` of `itemToLoop` in `player`; `invalid` repeats the whole item.
    public convenience init(
        player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem,
        timeRange loopRange: CMTimeRange
    ) {
        self.init(
            player: player, templateItem: itemToLoop, timeRange: loopRange,
            existingItemsOrdering: .loopingItemsPrecedeExistingItems)
    }

    /// Repeats `loopRange` of `itemToLoop` in `player`, before or after the items in the queue;
    /// `invalid` repeats the whole item. The item itself is not played and may be in another
    /// player. If the range exceeds the item, `status` becomes `failed` once the length is known.
    ///
    /// Precondition: a valid range starts at zero or later and is not empty.
    public init(
        player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem,
        timeRange loopRange: CMTimeRange, existingItemsOrdering itemOrdering: ItemOrdering
    ) {
        precondition(
            !loopRange.isValid
                || (loopRange.start.isNumeric && loopRange.start >= .zero
                    && loopRange.duration.isNumeric && loopRange.duration > .zero),
            "cannot loop: the range is empty, or begins before the item")
        self.player = player
        template = itemToLoop
        range = loopRange
        ordering = itemOrdering
        super.init()
        load()
    }

    deinit {
        state.withLock { $0.observation.take() }?.invalidate()
        stop()
        restoreAction()
    }

    // MARK: Status

    /// The state of the repetition.
    open var status: Status { read(\.status, "status", \.status) }
    /// The reason why `status` is `failed`; otherwise nil.
    open var error: (any Error)? { read(\.error, "error", \.error) }
    /// The number of times that the item has started over: 0 while it is heard for the first time.
    open var loopCount: Int { read(\.loopCount, "loopCount", \.loopCount) }
    /// The copies, in no particular order.
    open var loopingPlayerItems: [AVPlayerItem] {
        read(\.loopingPlayerItems, "loopingPlayerItems", \.replicas)
    }

    /// Ends the repetition: the copy that is heard plays to its end, the items after it follow, and
    /// the player's previous action at an item's end is restored.
    open func disableLooping() {
        guard status != .cancelled && status != .failed else { return }
        change(["status"]) { $0.status = .cancelled }
        stop()
        MainQueue.async { [weak self] in self?.restoreActionBehindLoop() }
    }

    // MARK: Setting up

    private func load() {
        let loader = template.asset.loader
        let isWhole = !range.isValid
        loader.load { [weak self] description in
            guard !isWhole, case .success(let found) = description, !found.isDurationExact else {
                return MainQueue.async { [weak self] in self?.begin(description) }
            }
            loader.measure { [weak self] _ in
                MainQueue.async { [weak self] in self?.begin(loader.load()) }
            }
        }
    }

    /// Inserts the copies, now that the item is open.
    private func begin(_ description: AssetLoader.Description) {
        guard status == .unknown else { return }
        switch description {
        case .failure(let error): fail(AssetError.make(error))
        case .success(let description):
            let duration = description.duration
            guard
                !duration.isNumeric
                    || (duration > .zero && (range.isValid ? range.end : duration) <= duration)
            else {
                return fail(rangeError(duration))
            }
            begin(lasting: range.isValid ? range.duration : duration)
        }
    }

    private func begin(lasting length: CMTime) {
        let seconds = length.isNumeric ? length.seconds : Self.secondsAhead
        let wanted = Int((Self.secondsAhead / max(seconds, 0.001)).rounded(.up)) + 1
        let count = min(max(wanted, Self.leastReplicas), Self.mostReplicas)
        let replicas = (0..<count).map { _ in replica() }
        let (rate, action) = (player.rate, player.actionAtItemEnd)
        if rate != 0 { player.pause() }
        state.withLock { ($0.replicas, $0.actionBefore) = (replicas, action) }
        player.actionAtItemEnd = .advance
        insert(replicas)
        follow()
        if rate != 0 { player.rate = rate }
        change(["status", "loopingPlayerItems"]) { state in
            if state.status == .unknown { state.status = .ready }
        }
        // Looping may have been disabled while the copies were inserted.
        if status == .cancelled { stop() }
    }

    /// Inserts the copies before or after the items in the queue. If before, the current item is
    /// left and comes again after the copies, from its start.
    private func insert(_ replicas: [AVPlayerItem]) {
        let existing = player.currentItem
        guard ordering == .loopingItemsPrecedeExistingItems, let existing else {
            for replica in replicas { player.insert(replica, after: nil) }
            return
        }
        player.replaceCurrentItem(with: replicas[0])
        for (last, replica) in zip(replicas, replicas.dropFirst()) {
            player.insert(replica, after: last)
        }
        player.insert(existing, after: replicas.last)
    }

    private func replica() -> AVPlayerItem {
        let replica = template.duplicate()
        if range.isValid { replica.forwardPlaybackEndTime = range.end }
        prepare(replica)
        return replica
    }

    private func rangeError(_ duration: CMTime) -> AVError {
        let reason =
            range.isValid
            ? "The range ends at \(range.end.seconds) s, the item at \(duration.seconds) s"
            : "The item is empty"
        return AVError(
            .operationNotSupportedForAsset,
            MediaError(
                .notSeekable, operation: "loop \(template.asset.location.path)", reason: reason))
    }

    func fail(_ error: any Error) {
        change(["status", "error"]) { state in
            state.status = .failed
            state.error = error
        }
        restoreAction()
    }
}
