import AudioSession
import Dispatch
public import Foundation
public import Observation
public import Playback
import Synchronization

/// Repeats an item in a queue player without a sample between: keeps copies of it in the queue, at
/// least three, and puts each one back after the others when it was heard (behaviour 2.4,
/// T33-T35).
///
/// Keep it as long as the item is to be repeated: the repeating ends with it. While it goes on, the
/// queue is the looper's; when other items are brought to its front nevertheless, it rests. Any thread
/// may call it; it does its work on the main queue.
open class AVPlayerLooper: NSObject, KeyValueObservable, Observable, @unchecked Sendable {
    /// Whether the item is repeated, with Apple's raw values.
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

    /// Where the items go that are in the queue already, with Apple's raw values.
    public enum ItemOrdering: Int, Sendable {
        /// Behind the copies: the copies are heard now.
        case loopingItemsPrecedeExistingItems
        /// Before the copies: these are heard when it is their turn.
        case loopingItemsFollowExistingItems
    }

    struct State {
        var status = Status.unknown
        var error: AVError?
        var loopCount = 0
        var replicas: [AVPlayerItem] = []
        /// What the player did at an item's end before.
        var actionBefore: AVPlayer.ActionAtItemEnd?
        /// The copy that is heard or will be next.
        var current: AVPlayerItem?
        /// Whether all copies were heard before the main queue came to put one back.
        var hasRunDry = false
        var observation: NSKeyValueObservation?
    }

    /// Copies that the queue holds at least.
    private static let leastReplicas = 3
    /// Of short items there are more copies: so many seconds are to be there at any time, so that
    /// the next copy comes in time.
    private static let secondsAhead = 2.0
    private static let mostReplicas = 64

    /// Those who observe this looper.
    public let keyValueObservers = KeyValueObservers()
    let registrar = ObservationRegistrar()
    let player: AVQueuePlayer
    let template: AVPlayerItem
    let range: CMTimeRange
    private let ordering: ItemOrdering
    let state = Mutex(State())

    /// Repeats `itemToLoop` in `player`, all of it.
    public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
        self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
    }

    /// Repeats `loopRange` of `itemToLoop` in `player`, `invalid` for all of it.
    public convenience init(
        player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem,
        timeRange loopRange: CMTimeRange
    ) {
        self.init(
            player: player, templateItem: itemToLoop, timeRange: loopRange,
            existingItemsOrdering: .loopingItemsPrecedeExistingItems)
    }

    /// Repeats `loopRange` of `itemToLoop` in `player`, `invalid` for all of it, before or behind
    /// what is in the queue. The item itself is not played and may be anywhere. A range that goes
    /// beyond the item's end makes `status` `failed` once that is known.
    ///
    /// Precondition: a valid range begins at zero or later and is longer than nothing.
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

    // MARK: What it does

    /// Whether the item is repeated.
    open var status: Status { read(\.status, "status", \.status) }
    /// Why `status` is `failed`; nil when it is not.
    open var error: (any Error)? { read(\.error, "error", \.error) }
    /// How often the item began again: 0 while it is heard for the first time.
    open var loopCount: Int { read(\.loopCount, "loopCount", \.loopCount) }
    /// The copies, in no particular order.
    open var loopingPlayerItems: [AVPlayerItem] {
        read(\.loopingPlayerItems, "loopingPlayerItems", \.replicas)
    }

    /// Ends the repeating: the copy that is heard plays to its end, what is behind it in the queue
    /// follows, and then the player does again at an item's end what it did before.
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

    /// The item is known: puts the copies into the queue.
    private func begin(_ description: AssetLoader.Description) {
        guard status == .unknown else { return }
        switch description {
        case .failure(let error): fail(AVError(error))
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
        // It may have been cancelled while the copies were put in.
        if status == .cancelled { stop() }
    }

    /// Puts the copies before or behind what is in the queue. Of that, what is heard now is left and
    /// comes again behind the copies, from its start.
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

    func fail(_ error: AVError) {
        change(["status", "error"]) { state in
            state.status = .failed
            state.error = error
        }
        restoreAction()
    }
}
