import UndersongBase

/// The items to play, in play order, with one of them current. Played items stay before the current
/// one, so that the user can go back. Commands refer to items by id, which never changes; indices
/// do.
///
/// There is no current item while the queue is empty, or after its end. An item appended then
/// becomes current.
///
/// **Shuffled**, the queue also has its original order, which is restored when shuffling ends.
/// Turning it on shuffles the upcoming items, or all items if none is current; played items stay
/// before the current one. With `RepeatMode.all` the same shuffled order repeats. An edit means the
/// same in both orders: an item inserted or moved after another follows it directly in both, an
/// appended item goes to the end of both, and a removed item leaves both.
///
/// **Consuming**, an item is removed when `advance` leaves it. Nothing else consumes: items that
/// were skipped by a jump stay.
package struct PlaybackQueue: Sendable {
    /// The modes. `setShuffled` changes the order of the items, the setters below change the rest.
    package private(set) var modes = PlaybackModes()
    /// The current item's index among all items, from 0; `count` if there is none.
    package private(set) var index = 0
    /// The items; the lists here contain only their ids.
    private var itemStore: any ItemStore
    private var list = ItemList()
    /// The order before shuffling; empty while the queue is not shuffled.
    private var original = ItemList()

    /// Creates an empty queue of items stored on `itemStore`.
    package init(itemStore: any ItemStore = MemoryItemStore()) { self.itemStore = itemStore }

    // MARK: Reading

    /// All items in play order, played ones included. Only for queues known to be short.
    package var items: [QueueItem] { itemStore.items(list.ids) }
    /// The ids of all items in play order, played ones included.
    package var ids: [ItemID] { list.ids }
    /// The number of items, played ones included.
    package var count: Int { list.count }
    /// The id of the item that is heard, or will be heard first.
    package var currentID: ItemID? { index < count ? list.ids[index] : nil }
    /// The item that is heard, or will be heard first.
    package var current: QueueItem? { currentID.flatMap(itemStore.item) }
    /// The current item and those after it, in play order.
    package var upcoming: [QueueItem] { upcoming(count) }

    /// The current item and those after it, in play order, at most `limit` of them.
    package func upcoming(_ limit: Int) -> [QueueItem] { items(at: index..<count, limit: limit) }

    /// The items at indices in play order, at most `limit` of them.
    package func items(at indices: Range<Int>, limit: Int = .max) -> [QueueItem] {
        itemStore.items(Array(list.ids[indices.clamped(to: 0..<count)].prefix(limit)))
    }

    /// The item with this id, even if it is only on the itemStore and not in the queue.
    package func content(of id: ItemID) -> QueueItem? { itemStore.item(id) }

    /// The item with this id; nil if it is not in the queue.
    package func item(_ id: ItemID) -> QueueItem? {
        index(of: id) == nil ? nil : itemStore.item(id)
    }

    /// The item's index in play order, from 0.
    package func index(of id: ItemID) -> Int? { list.index(of: id, near: index) }

    /// The order of the items and the current one.
    package var order: QueueOrder {
        QueueOrder(
            ids: list.ids, original: modes.isShuffled ? original.ids : nil, current: currentID)
    }

    // MARK: Following items

    /// The item that follows by itself after `id` was heard to its end: the same item with
    /// `RepeatMode.one`, otherwise the next one. With `isSingle`, or if the stop condition is met
    /// by the end of an item, the player stops before that one. May be asked ahead for an item
    /// after the current one: what will have been consumed by then does not appear again. `.end` if
    /// the item is not in the queue.
    package func following(_ id: ItemID) -> Next {
        guard let index = index(of: id) else { return .end }
        guard modes.itemEndAction == .advance else { return .stay }
        let item = (isRepeatingOne ? index : stepByItself(from: index)).flatMap(item(at:))
        if modes.isSingle || stopsBehindItem { return .hold(item) }
        return item.map { .play($0) } ?? .end
    }

    /// The item that plays by itself instead of `id`, which cannot be played; nil at the end of the
    /// queue.
    package func standIn(for id: ItemID) -> QueueItem? {
        index(of: id).flatMap(stepByItself).flatMap(item(at:))
    }

    /// The destination of the user's "next" from `id`, or from the end of the queue for nil: the
    /// next item, regardless of `RepeatMode.one` and `isSingle`. Nil at the end, unless
    /// `RepeatMode.all` wraps around.
    package func next(after id: ItemID?) -> QueueItem? {
        guard let index = id.map({ index(of: $0) }) ?? count else { return nil }
        return step(from: index).flatMap(item(at:))
    }

    /// The destination of the user's "previous" from `id`, or from the end of the queue for nil:
    /// the item before it. Nil at the front, unless `RepeatMode.all` wraps around.
    package func previous(before id: ItemID?) -> QueueItem? {
        guard let index = id.map({ index(of: $0) }) ?? count else { return nil }
        if index > 0 { return item(at: index - 1) }
        return modes.repeatMode == .all && count > 0 ? item(at: count - 1) : nil
    }

    private func item(at index: Int) -> QueueItem? { itemStore.item(list.ids[index]) }

    /// True if the player stops at the end of the item at the latest: its last chapter ends there
    /// too.
    private var stopsBehindItem: Bool {
        modes.stopCondition == .item || modes.stopCondition == .chapter
    }

    /// True if one item repeats, which a stop at the end of the queue rules out.
    private var isRepeatingOne: Bool {
        modes.repeatMode == .one && modes.stopCondition != .queue
    }

    /// As `step`, but without wrapping around an end at which playback stops once.
    private func stepByItself(from index: Int) -> Int? {
        guard modes.stopCondition == .queue else { return step(from: index) }
        return index + 1 < count ? index + 1 : nil
    }

    /// The index after `index`, wrapping around with `RepeatMode.all`. Everything between the
    /// current item and `index` will have been consumed by then, so wrapping around stops where it
    /// began.
    private func step(from index: Int) -> Int? {
        let isLast = index + 1 >= count
        guard modes.repeatMode == .all else { return isLast ? nil : index + 1 }
        let next = isLast ? 0 : index + 1
        let isConsumed = modes.isConsuming && next == self.index
        return count == 0 || isConsumed ? nil : next
    }

    // MARK: Moving within the queue

    /// Moves on to `id`, or to the end of the queue for nil, because playback reached it or the
    /// user skipped to it. In a consuming queue the item left is removed. Does nothing if the queue
    /// does not contain `id`.
    package mutating func advance(to id: ItemID?) {
        guard let target = id.map({ index(of: $0) }) ?? count else { return }
        let left = currentID
        index = target
        if modes.isConsuming, let left, left != id { remove(left) }
    }

    /// Makes `id` current without removing anything. Skipped items stay before it.
    package mutating func jump(to id: ItemID) throws(QueueError) {
        index = try existingIndex(of: id, operation: "jump to item \(id)")
    }

    // MARK: Adding and removing

    /// Puts entries on the itemStore and returns the ids by which an edit refers to them.
    package mutating func stage(_ entries: [QueueEntry]) -> [ItemID] { itemStore.add(entries) }

    /// Appends items and returns their ids in the same order.
    @discardableResult
    package mutating func append(_ sources: [MediaSource]) -> [ItemID] {
        append(sources.map { QueueEntry($0) })
    }

    /// Appends items and returns their ids in the same order.
    @discardableResult
    package mutating func append(_ entries: [QueueEntry]) -> [ItemID] {
        insert(entries, at: count, originally: original.count)
    }

    /// Appends items, shuffled among themselves while the queue is shuffled, as when an album is
    /// added to a shuffled queue. Returns their ids in the order of `entries`.
    @discardableResult
    package mutating func append(
        _ entries: [QueueEntry], using generator: inout some RandomNumberGenerator
    ) -> [ItemID] {
        let ids = itemStore.add(entries)
        append(ids, using: &generator)
        return ids
    }

    private mutating func append(
        _ ids: [ItemID], using generator: inout some RandomNumberGenerator
    ) {
        let first = count
        insert(ids, at: first, originally: original.count)
        if modes.isShuffled { list.shuffle(from: first, using: &generator) }
    }

    /// Inserts items directly after `id`, or at the end for nil, and returns their ids (T17).
    @discardableResult
    package mutating func insert(
        _ entries: [QueueEntry], after id: ItemID?
    ) throws(QueueError) -> [ItemID] {
        guard let id else { return append(entries) }
        let index = try existingIndex(of: id, operation: "insert after item \(id)")
        return insert(entries, at: index + 1, originally: originalIndex(after: id))
    }

    /// Inserts an item that already has an id directly after `id`; if that has left the queue,
    /// after the current item; at the end for nil. Precondition: its id is higher than all previous
    /// ones.
    package mutating func insert(_ item: QueueItem, after id: ItemID?) {
        itemStore.add(item)
        guard let id else { return insert([item.id], at: count, originally: original.count) }
        let isComing = index(of: id).map { $0 >= index } ?? false
        guard let id = isComing ? id : currentID, let target = index(of: id) else {
            return insert([item.id], at: count, originally: original.count)
        }
        insert([item.id], at: target + 1, originally: originalIndex(after: id))
    }

    /// Inserts items directly after the current one, or at the end if there is none, and returns
    /// their ids.
    @discardableResult
    package mutating func insertNext(_ entries: [QueueEntry]) -> [ItemID] {
        guard let currentID else { return append(entries) }
        return insert(entries, at: index + 1, originally: originalIndex(after: currentID))
    }

    /// Removes an item and returns whether the queue contained it. If it was current, the next item
    /// becomes current (behaviour 2.3); with `RepeatMode.all` the last one is followed by the
    /// first.
    @discardableResult
    package mutating func remove(_ id: ItemID) -> Bool {
        guard let removed = index(of: id) else { return false }
        list.remove(at: removed)
        original.remove(id)
        itemStore.forget(CollectionOfOne(id))
        if removed < index {
            index -= 1
        } else if index == count, modes.repeatMode == .all {
            index = 0
        }
        return true
    }

    /// Removes all items. The modes stay, and ids are never reused.
    package mutating func removeAll() {
        itemStore.forget(list.ids)
        list = ItemList()
        original = ItemList()
        index = 0
    }

    /// Removes items. If the current one is among them, the next remaining one becomes current.
    private mutating func remove(_ ids: [ItemID]) throws(QueueError) {
        let removed = Set(ids)
        let isFew = removed.count < 8
        guard !isFew, list.ids.count(where: removed.contains) == removed.count else {
            for id in ids { try existingIndex(of: id, operation: "remove item \(id)") }
            // Looking up a few indices is faster than testing every item.
            for id in removed where isFew { remove(id) }
            return
        }
        let next = list.ids[index...].first { !removed.contains($0) }
        let leavesCurrent = currentID.map(removed.contains) ?? false
        list.remove(removed)
        original.remove(removed)
        itemStore.forget(removed)
        index = next.flatMap { list.index(of: $0, near: index) } ?? count
        if leavesCurrent, index == count, modes.repeatMode == .all { index = 0 }
    }

    // MARK: Changing items

    /// Moves an item directly after `target`, or to the front for nil. The current item stays
    /// current, even if it is the one moved.
    package mutating func move(_ id: ItemID, after target: ItemID?) throws(QueueError) {
        let from = try existingIndex(of: id, operation: "move item \(id)")
        guard target != id else { return }
        var to = 0
        if let target {
            let before = try existingIndex(of: target, operation: "move after item \(target)")
            to = before < from ? before + 1 : before
        }
        keepCurrent { queue in
            queue.list.move(from: from, to: to)
            guard queue.modes.isShuffled else { return }
            queue.original.remove(id)
            queue.original.insert([id], at: target.map { queue.originalIndex(after: $0) } ?? 0)
        }
    }

    /// Puts all items into another order. The current item stays current.
    private mutating func reorder(_ ids: [ItemID]) throws(QueueError) {
        guard ids.count == count, Set(ids) == Set(list.ids) else {
            throw QueueError(
                .noSuchItem, operation: "reorder the queue", reason: "the items have changed")
        }
        keepCurrent { queue in
            queue.list = ItemList(ids)
            if queue.modes.isShuffled { queue.original = ItemList(ids) }
        }
    }

    /// Changes the part of its source that an item plays; returns whether the queue contains the
    /// item.
    @discardableResult
    package mutating func setRange(of id: ItemID, start: CMTime, end: CMTime?) -> Bool {
        guard index(of: id) != nil else { return false }
        itemStore.setRange(of: id, start: start, end: end)
        return true
    }

    /// Changes the volume of an item over its time; returns whether the queue contains the item.
    package mutating func setVolume(of id: ItemID, _ volume: VolumeEnvelope) -> Bool {
        guard index(of: id) != nil else { return false }
        itemStore.setVolume(of: id, volume)
        return true
    }

    /// Saves facts from an item's file; returns whether they are new.
    package mutating func learn(_ facts: ItemFacts, of id: ItemID) -> Bool {
        guard let item = item(id), item.facts != facts else { return false }
        itemStore.learn(facts, of: id)
        return true
    }

    /// Applies an edit. Throws, without changing anything, if it names an item not in the queue.
    package mutating func apply(_ change: QueueChange) throws(QueueError) {
        switch change {
        case .insert(let ids, .end, let seed):
            var generator = SeededGenerator(seed: seed)
            append(ids, using: &generator)
        case .insert(let ids, .next, let seed):
            guard let currentID else { return try apply(.insert(ids, .end, seed: seed)) }
            insert(ids, at: index + 1, originally: originalIndex(after: currentID))
        case .insert(let ids, .after(let id), _):
            let index = try existingIndex(of: id, operation: "insert after item \(id)")
            insert(ids, at: index + 1, originally: originalIndex(after: id))
        case .move(let id, let target): try move(id, after: target)
        case .remove(let ids): try remove(ids)
        case .reorder(let ids): try reorder(ids)
        case .removeAll: removeAll()
        case .replaceAll(let ids, let seed):
            removeAll()
            try apply(.insert(ids, .end, seed: seed))
        case .restore(let order): restore(order)
        }
    }

    /// Restores an order of this queue, or of another one on the same itemStore.
    package mutating func restore(_ order: QueueOrder) {
        list = ItemList(order.ids)
        original = ItemList(order.original ?? [])
        modes.isShuffled = order.original != nil
        index = order.current.flatMap { list.index(of: $0, near: 0) } ?? count
    }

    // MARK: Modes

    /// The part of the queue that the player repeats.
    package var repeatMode: RepeatMode {
        get { modes.repeatMode }
        set { modes.repeatMode = newValue }
    }
    /// True if the player stops after each item.
    package var isSingle: Bool {
        get { modes.isSingle }
        set { modes.isSingle = newValue }
    }
    /// The action at the end of an item.
    package var itemEndAction: ItemEndAction {
        get { modes.itemEndAction }
        set { modes.itemEndAction = newValue }
    }
    /// True if items are removed once they are left.
    package var isConsuming: Bool {
        get { modes.isConsuming }
        set { modes.isConsuming = newValue }
    }

    /// The end at which playback stops once.
    package var stopCondition: StopCondition? {
        get { modes.stopCondition }
        set { modes.stopCondition = newValue }
    }

    /// Sets all modes.
    package mutating func set(
        _ modes: PlaybackModes, using generator: inout some RandomNumberGenerator
    ) {
        repeatMode = modes.repeatMode
        isSingle = modes.isSingle
        isConsuming = modes.isConsuming
        itemEndAction = modes.itemEndAction
        stopCondition = modes.stopCondition
        setShuffled(modes.isShuffled, using: &generator)
    }

    /// Shuffles the upcoming items, or restores the original order. The current item stays current,
    /// and a queue at its end stays there. Does nothing if the mode is already set.
    package mutating func setShuffled(
        _ isShuffled: Bool, using generator: inout some RandomNumberGenerator
    ) {
        guard isShuffled != modes.isShuffled else { return }
        modes.isShuffled = isShuffled
        guard isShuffled else {
            keepCurrent { $0.list = $0.original }
            original = ItemList()
            return
        }
        original = list
        list.shuffle(from: currentID == nil ? 0 : index + 1, using: &generator)
    }

    // MARK: Steps

    @discardableResult
    private func existingIndex(of id: ItemID, operation: String) throws(QueueError) -> Int {
        guard let index = index(of: id) else {
            throw QueueError(
                .noSuchItem, operation: operation, reason: "the queue has no such item")
        }
        return index
    }

    /// The index in the original order of an item inserted after `id`.
    private func originalIndex(after id: ItemID) -> Int {
        original.index(of: id, near: 0).map { $0 + 1 } ?? original.count
    }

    private mutating func insert(
        _ entries: [QueueEntry], at target: Int, originally originalTarget: Int
    ) -> [ItemID] {
        let ids = itemStore.add(entries)
        insert(ids, at: target, originally: originalTarget)
        return ids
    }

    private mutating func insert(_ new: [ItemID], at target: Int, originally: Int) {
        // At the end of the queue nothing moves: the first new item becomes current.
        if target <= index, target < count { index += new.count }
        list.insert(new, at: target)
        if modes.isShuffled { original.insert(new, at: originally) }
    }

    /// Reorders the items and finds the current one again; without one, the index stays at the end.
    private mutating func keepCurrent(_ reorder: (inout PlaybackQueue) -> Void) {
        let current = currentID
        reorder(&self)
        index = current.flatMap { list.index(of: $0, near: index) } ?? count
    }
}
