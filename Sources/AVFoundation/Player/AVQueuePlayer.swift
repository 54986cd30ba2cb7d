import Foundation
public import Playback
import Synchronization

/// Plays items one after the other without a sample between them (behaviour 2.3). Threads are as
/// with `AVPlayer`.
///
/// An item leaves the queue when it is over. At the end of the queue `currentItem` is nil and `rate`
/// stays: an item that is inserted then plays at once.
open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
    /// Makes a player with an empty queue.
    public override init() {
        super.init()
        setAction(.advance)
    }

    /// Makes a player of `items`. Precondition: no item is there twice, or in another player.
    public convenience init(items: [AVPlayerItem]) {
        self.init()
        for item in items { append(item) }
    }

    /// The items that are still to be heard, the current one first.
    open func items() -> [AVPlayerItem] { state.withLock { $0.entries.map(\.item) } }

    /// Whether `item` may be inserted behind `afterItem`, nil: at the end. It may not when it is in
    /// the queue already, or when `afterItem` is not in it.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        state.withLock { state in
            guard state.index(of: item) == nil else { return false }
            return afterItem.map { state.index(of: $0) != nil } ?? true
        }
    }

    /// Inserts `item` behind `afterItem`, or at the end for nil. Precondition: `canInsert` holds, and
    /// no other player has the item.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        precondition(
            canInsert(item, after: afterItem),
            "cannot insert an item: it is in the queue already, or the one before is not")
        let other = afterItem.flatMap { afterItem in
            state.withLock { state in state.index(of: afterItem).map { state.entries[$0].id } }
        }
        append(item, after: other)
    }

    /// Leaves the current item for the next, without its `didPlayToEndTime`.
    open func advanceToNextItem() { removeCurrent() }

    /// Removes `item`; the current one is left for the next. Nothing happens when it is not there.
    open func remove(_ item: AVPlayerItem) {
        guard state.withLock({ $0.current?.item !== item }) else { return removeCurrent() }
        change { state in
            guard let index = state.index(of: item) else { return }
            post.remove(state.remove(at: index).id)
        }
    }

    /// Removes all items and falls silent.
    open func removeAllItems() {
        change { state in
            while !state.entries.isEmpty { _ = state.remove(at: 0) }
            post.removeAll()
        }
    }
}

// What Apple's queue player lacks and its users ask for.
extension AVQueuePlayer {
    /// The item's name in this queue, which it keeps wherever it moves, and which no other item gets;
    /// nil when it is not there.
    public func id(of item: AVPlayerItem) -> ItemID? {
        state.withLock { state in state.index(of: item).map { state.entries[$0].id } }
    }

    /// Inserts another item that plays what `item` plays, which may be in the queue, and returns it.
    @discardableResult
    public func insertCopy(of item: AVPlayerItem, after afterItem: AVPlayerItem?) -> AVPlayerItem {
        let copy = item.duplicate()
        insert(copy, after: afterItem)
        return copy
    }

    /// Moves an item behind another. False when one of them is not in the queue, or when the moved
    /// one is current: it is heard where it is.
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

    /// Puts `item` in the place of another; when that is current, it is left for `item`. Preconditions
    /// as with `insert`; nothing happens when `old` is not in the queue.
    public func replace(_ old: AVPlayerItem, with item: AVPlayerItem) {
        guard state.withLock({ $0.index(of: old) != nil }) else { return }
        if old === state.withLock({ $0.current?.item }) { return replaceCurrentItem(with: item) }
        insert(item, after: old)
        remove(old)
    }

    /// Goes back to the item that was heard or left before the current one, which follows it then;
    /// without one, to the start of the current item.
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
