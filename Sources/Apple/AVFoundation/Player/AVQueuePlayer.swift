import Foundation
import Synchronization
public import UndersongPlayback

/// Plays items one after the other without a gap (behaviour 2.3). The rules for threads are those
/// of `AVPlayer`.
///
/// An item leaves the queue when it ends. At the end of the queue `currentItem` is nil and `rate`
/// stays: an item that is inserted then plays at once.
open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
    /// Makes a player with an empty queue.
    public override init() {
        super.init()
        setAction(.advance)
    }

    /// Makes a player for what is at `url`: a file, or a file or a live stream on the network.
    public override init(url: URL) {
        super.init(url: url)
        setAction(.advance)
    }

    /// Makes a player for `item`. Precondition: it is in no other player.
    public override init(playerItem item: AVPlayerItem?) {
        super.init(playerItem: item)
        setAction(.advance)
    }

    /// Makes a player for `items`. Precondition: the items are distinct and in no other player.
    public init(items: [AVPlayerItem]) {
        super.init()
        setAction(.advance)
        for item in items { append(item) }
    }

    /// The items still to be heard, the current one first.
    open func items() -> [AVPlayerItem] { state.withLock { $0.entries.map(\.item) } }

    /// True if `item` may be inserted after `afterItem`, or at the end for nil: not if it is in the
    /// queue already, or if `afterItem` is not.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        state.withLock { state in
            guard state.index(of: item) == nil else { return false }
            return afterItem.map { state.index(of: $0) != nil } ?? true
        }
    }

    /// Inserts `item` after `afterItem`, or at the end for nil. Precondition: `canInsert` returns
    /// true, and the item is in no other player.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        precondition(
            canInsert(item, after: afterItem),
            "cannot insert an item: it is in the queue already, or the one before is not")
        let other = afterItem.flatMap { afterItem in
            state.withLock { state in state.index(of: afterItem).map { state.entries[$0].id } }
        }
        append(item, after: other)
    }

    /// Skips to the next item, without posting `didPlayToEndTime` for the current one.
    open func advanceToNextItem() { removeCurrent() }

    /// Removes `item`; if it is current, continues with the next. Does nothing if it is not in the
    /// queue.
    open func remove(_ item: AVPlayerItem) {
        guard state.withLock({ $0.current?.item !== item }) else { return removeCurrent() }
        change { state in
            guard let index = state.index(of: item) else { return }
            post.remove(state.remove(at: index).id)
        }
    }

    /// Removes all items and stops the sound.
    open func removeAllItems() {
        change { state in
            while !state.entries.isEmpty { _ = state.remove(at: 0) }
            post.removeAll()
        }
    }
}

// Additions that users of Apple's queue player ask for.
extension AVQueuePlayer {
    /// Identifies an item in a queue.
    public typealias ItemID = UndersongPlayback.ItemID

    /// The item's id in this queue, which it keeps when it moves and which is never reused; nil if
    /// it is not in the queue.
    public func id(of item: AVPlayerItem) -> ItemID? {
        state.withLock { state in state.index(of: item).map { state.entries[$0].id } }
    }

    /// Inserts a copy of `item`, which may be in the queue, and returns the copy.
    @discardableResult
    public func insertCopy(of item: AVPlayerItem, after afterItem: AVPlayerItem?) -> AVPlayerItem {
        let copy = item.duplicate()
        insert(copy, after: afterItem)
        return copy
    }

    /// Moves an item after another. False if one of them is not in the queue, or if the moved one
    /// is current.
    @discardableResult
    public func move(_ item: AVPlayerItem, after other: AVPlayerItem) -> Bool {
        change { state in
            guard let from = state.index(of: item), from > 0, item !== other,
                state.index(of: other) != nil
            else { return false }
            let moved = state.entries.remove(at: from)
            guard let place = state.index(of: other) else { return false }
            state.entries.insert(moved, at: place + 1)
            post.move(moved.id, after: state.entries[place].id)
            return true
        }
    }

    /// Replaces an item with `item`; if it is current, continues with `item`. Preconditions as for
    /// `insert`; does nothing if `old` is not in the queue.
    public func replace(_ old: AVPlayerItem, with item: AVPlayerItem) {
        guard state.withLock({ $0.index(of: old) != nil }) else { return }
        if old === state.withLock({ $0.current?.item }) { return replaceCurrentItem(with: item) }
        insert(item, after: old)
        remove(old)
    }

    /// Returns to the item heard or left before the current one, which then follows it; without
    /// one, to the start of the current item.
    public func returnToPreviousItem() {
        let previous = state.withLock { $0.history.popLast() }
        guard let previous else { return seek(to: .zero) }
        let id = state.withLock { $0.makeID() }
        guard previous.attach(to: self, as: id) else { return }
        change { state in
            state.entries.insert(PlayerState.Entry(id: id, item: previous), at: 0)
            (state.place, state.runOn) = (SoughtPlace(), nil)
            post.goBack(to: previous.queueItem(id))
        }
    }
}
