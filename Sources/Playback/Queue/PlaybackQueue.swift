/// The items to play, in the order in which they are played, with one of them current. Those that
/// were played stay before the current one, so that the user can go back. Commands name items by
/// their ids, which stay; places move.
///
/// There is no current item before anything was added, and behind the end. An item that is added
/// there, behind all others, becomes current.
///
/// **Shuffled**, the queue has a second order, the original one, which it takes again when shuffling
/// ends. Turning it on shuffles what is still to come, or everything when no item is current; what
/// was played stays before the current item. Round the end with `RepeatMode.all` the same shuffled
/// order is played again. An edit means the same in both orders: what is put or moved behind an item
/// stands directly behind it in both, what is appended stands at the end of both, what is removed is
/// gone from both.
///
/// **Consuming**, an item is removed when it is left by `advance`. Nothing else consumes: items that
/// were jumped over stay.
package struct PlaybackQueue: Sendable {
    /// How the queue goes on. `setShuffled` changes the order of the items, the setters below the
    /// rest.
    package private(set) var modes = PlaybackModes()
    /// The current item's place among all items, counted from 0; `count` when there is none.
    package private(set) var place = 0
    /// What the items are; here are only their ids.
    private var shelf: any ItemShelf
    private var list = ItemList()
    /// The order that shuffling has left; empty while the queue is not shuffled.
    private var original = ItemList()

    /// Makes an empty queue of items that lie on `shelf`.
    package init(shelf: any ItemShelf = MemoryShelf()) { self.shelf = shelf }

    // MARK: Reading

    /// All items in play order, played ones included; for queues that are known to be short.
    package var items: [QueueItem] { shelf.items(list.ids) }
    /// All items' ids in play order, played ones included.
    package var ids: [ItemID] { list.ids }
    /// How many items there are, played ones included.
    package var count: Int { list.count }
    /// The id of the item that is heard, or that will be heard first.
    package var currentID: ItemID? { place < count ? list.ids[place] : nil }
    /// The item that is heard, or that will be heard first.
    package var current: QueueItem? { currentID.flatMap(shelf.item) }
    /// The current item and those behind it, in play order.
    package var upcoming: [QueueItem] { upcoming(count) }

    /// The current item and those behind it, in play order, `limit` of them at most.
    package func upcoming(_ limit: Int) -> [QueueItem] { items(at: place..<count, limit: limit) }

    /// The items at places in play order, `limit` of them at most.
    package func items(at places: Range<Int>, limit: Int = .max) -> [QueueItem] {
        shelf.items(Array(list.ids[places.clamped(to: 0..<count)].prefix(limit)))
    }

    /// What the item with this id is, also when it is not in the queue but where its items lie.
    package func content(of id: ItemID) -> QueueItem? { shelf.item(id) }

    /// The item with this id; nil when there is none, or when it has left the queue.
    package func item(_ id: ItemID) -> QueueItem? {
        place(of: id) == nil ? nil : shelf.item(id)
    }

    /// The item's place in play order, counted from 0.
    package func place(of id: ItemID) -> Int? { list.place(of: id, near: place) }

    /// The items' order, with the current one.
    package var order: QueueOrder {
        QueueOrder(
            ids: list.ids, original: modes.isShuffled ? original.ids : nil, current: currentID)
    }

    // MARK: What comes

    /// What comes by itself when `id` was heard to its end: the same item with `RepeatMode.one`, else
    /// the one behind it; with `isSingle`, or where it stops once behind an item, the player stands
    /// still before that one. It may be asked ahead, for an item behind the current one: what will
    /// have been consumed by then does not come again. `.end` when the queue has no such item.
    package func following(_ id: ItemID) -> Next {
        guard let place = place(of: id) else { return .end }
        guard modes.itemEndAction == .advance else { return .stay }
        let item = (isRepeatingOne ? place : stepByItself(from: place)).flatMap(item(at:))
        if modes.isSingle || stopsBehindItem { return .hold(item) }
        return item.map { .play($0) } ?? .end
    }

    /// What comes by itself in the place of `id`, which cannot be played. Nil where the queue ends.
    package func standIn(for id: ItemID) -> QueueItem? {
        place(of: id).flatMap(stepByItself).flatMap(item(at:))
    }

    /// What the user's "next" leads to from `id`, or from behind the end for nil: the item behind it,
    /// whatever repeats or stands still by itself. Nil at the end, unless `RepeatMode.all` leads
    /// round it.
    package func next(after id: ItemID?) -> QueueItem? {
        guard let place = id.map({ place(of: $0) }) ?? count else { return nil }
        return step(from: place).flatMap(item(at:))
    }

    /// What the user's "previous" leads to from `id`, or from behind the end for nil: the item before
    /// it. Nil at the front, unless `RepeatMode.all` leads round it.
    package func previous(before id: ItemID?) -> QueueItem? {
        guard let place = id.map({ place(of: $0) }) ?? count else { return nil }
        if place > 0 { return item(at: place - 1) }
        return modes.repeatMode == .all && count > 0 ? item(at: count - 1) : nil
    }

    private func item(at place: Int) -> QueueItem? { shelf.item(list.ids[place]) }

    /// Whether the player stops behind an item, at the latest: its last chapter ends with it.
    private var stopsBehindItem: Bool {
        modes.stopCondition == .item || modes.stopCondition == .chapter
    }

    /// Whether an item is played again and again: not where the queue is to come to its end once.
    private var isRepeatingOne: Bool {
        modes.repeatMode == .one && modes.stopCondition != .queue
    }

    /// As `step`, where the user does not say it: not round an end behind which it stops once.
    private func stepByItself(from place: Int) -> Int? {
        guard modes.stopCondition == .queue else { return step(from: place) }
        return place + 1 < count ? place + 1 : nil
    }

    /// The place behind `place`, round the end with `RepeatMode.all`. Everything between the current
    /// item and `place` is consumed when the player gets there, so the way round ends where it began.
    private func step(from place: Int) -> Int? {
        let isLast = place + 1 >= count
        guard modes.repeatMode == .all else { return isLast ? nil : place + 1 }
        let next = isLast ? 0 : place + 1
        let isConsumed = modes.isConsuming && next == self.place
        return count == 0 || isConsumed ? nil : next
    }

    // MARK: Going on

    /// The player has gone on to `id`, or behind the end for nil: by itself, or since the user has
    /// asked for the next item. When the queue is consuming, the item that is left is removed. Nothing
    /// happens when the queue has no such item.
    package mutating func advance(to id: ItemID?) {
        guard let target = id.map({ place(of: $0) }) ?? count else { return }
        let left = currentID
        place = target
        if modes.isConsuming, let left, left != id { remove(left) }
    }

    /// Makes `id` current and removes nothing. What was jumped over stands before it.
    package mutating func jump(to id: ItemID) throws(QueueError) {
        place = try existingPlace(of: id, operation: "jump to item \(id)")
    }

    // MARK: Adding and removing

    /// Puts entries where an edit finds them by their ids, which it gives them.
    package mutating func stage(_ entries: [QueueEntry]) -> [ItemID] { shelf.add(entries) }

    /// Adds items at the end and returns their ids, in the same order.
    @discardableResult
    package mutating func append(_ sources: [MediaSource]) -> [ItemID] {
        append(sources.map { QueueEntry($0) })
    }

    /// Adds items at the end and returns their ids, in the same order.
    @discardableResult
    package mutating func append(_ entries: [QueueEntry]) -> [ItemID] {
        insert(entries, at: count, originally: original.count)
    }

    /// Adds items at the end; among themselves they are in random order while the queue is shuffled,
    /// as when an album is put into a shuffled queue. Returns their ids in the order of `entries`.
    @discardableResult
    package mutating func append(
        _ entries: [QueueEntry], using generator: inout some RandomNumberGenerator
    ) -> [ItemID] {
        let ids = shelf.add(entries)
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

    /// Adds items directly after `id`, or at the end for nil, and returns their ids (T17).
    @discardableResult
    package mutating func insert(
        _ entries: [QueueEntry], after id: ItemID?
    ) throws(QueueError) -> [ItemID] {
        guard let id else { return append(entries) }
        let place = try existingPlace(of: id, operation: "insert behind item \(id)")
        return insert(entries, at: place + 1, originally: originalPlace(behind: id))
    }

    /// Adds an item that was given its id already, directly behind `id`; when that was left already,
    /// behind the current one, and at the end for nil. Precondition: its id is higher than every one
    /// before.
    package mutating func insert(_ item: QueueItem, after id: ItemID?) {
        shelf.add(item)
        guard let id else { return insert([item.id], at: count, originally: original.count) }
        let isComing = place(of: id).map { $0 >= place } ?? false
        guard let id = isComing ? id : currentID, let target = place(of: id) else {
            return insert([item.id], at: count, originally: original.count)
        }
        insert([item.id], at: target + 1, originally: originalPlace(behind: id))
    }

    /// Adds items directly behind the current one, or at the end when there is none, and returns
    /// their ids.
    @discardableResult
    package mutating func insertNext(_ entries: [QueueEntry]) -> [ItemID] {
        guard let currentID else { return append(entries) }
        return insert(entries, at: place + 1, originally: originalPlace(behind: currentID))
    }

    /// Removes an item and says whether the queue had it. When it is the current one, the item behind
    /// it becomes current (behaviour 2.3): with `RepeatMode.all` the first one after the last.
    @discardableResult
    package mutating func remove(_ id: ItemID) -> Bool {
        guard let removed = place(of: id) else { return false }
        list.remove(at: removed)
        original.remove(id)
        shelf.forget(CollectionOfOne(id))
        if removed < place {
            place -= 1
        } else if place == count, modes.repeatMode == .all {
            place = 0
        }
        return true
    }

    /// Removes all items. The modes stay, and no id is given again.
    package mutating func removeAll() {
        shelf.forget(list.ids)
        list = ItemList()
        original = ItemList()
        place = 0
    }

    /// Removes items. When the current one is among them, the next one that stays becomes current.
    private mutating func remove(_ ids: [ItemID]) throws(QueueError) {
        let removed = Set(ids)
        let isFew = removed.count < 8
        guard !isFew, list.ids.count(where: removed.contains) == removed.count else {
            for id in ids { try existingPlace(of: id, operation: "remove item \(id)") }
            // To look for few is quicker than to ask of each item whether it is one of them.
            for id in removed where isFew { remove(id) }
            return
        }
        let next = list.ids[place...].first { !removed.contains($0) }
        let leavesCurrent = currentID.map(removed.contains) ?? false
        list.remove(removed)
        original.remove(removed)
        shelf.forget(removed)
        place = next.flatMap { list.place(of: $0, near: place) } ?? count
        if leavesCurrent, place == count, modes.repeatMode == .all { place = 0 }
    }

    // MARK: Changing

    /// Moves an item directly behind `target`, or to the front for nil. The current item stays
    /// current, also when it is the one that moves.
    package mutating func move(_ id: ItemID, after target: ItemID?) throws(QueueError) {
        let from = try existingPlace(of: id, operation: "move item \(id)")
        guard target != id else { return }
        var to = 0
        if let target {
            let behind = try existingPlace(of: target, operation: "move behind item \(target)")
            to = behind < from ? behind + 1 : behind
        }
        keepCurrent { queue in
            queue.list.move(from: from, to: to)
            guard queue.modes.isShuffled else { return }
            queue.original.remove(id)
            queue.original.insert([id], at: target.map { queue.originalPlace(behind: $0) } ?? 0)
        }
    }

    /// Changes which part of its source an item plays; says whether the queue has the item.
    @discardableResult
    package mutating func setRange(of id: ItemID, start: CMTime, end: CMTime?) -> Bool {
        guard place(of: id) != nil else { return false }
        shelf.setRange(of: id, start: start, end: end)
        return true
    }

    /// Keeps what an item's file has said of itself; says whether that is new.
    package mutating func learn(_ facts: ItemFacts, of id: ItemID) -> Bool {
        guard let item = item(id), item.facts != facts else { return false }
        shelf.learn(facts, of: id)
        return true
    }

    /// Makes an edit. Errors: it names an item that the queue does not have; nothing is changed then.
    package mutating func apply(_ change: QueueChange) throws(QueueError) {
        switch change {
        case .insert(let ids, .end, let seed):
            var generator = SeededGenerator(seed: seed)
            append(ids, using: &generator)
        case .insert(let ids, .next, let seed):
            guard let currentID else { return try apply(.insert(ids, .end, seed: seed)) }
            insert(ids, at: place + 1, originally: originalPlace(behind: currentID))
        case .insert(let ids, .behind(let id), _):
            let place = try existingPlace(of: id, operation: "insert behind item \(id)")
            insert(ids, at: place + 1, originally: originalPlace(behind: id))
        case .move(let id, let target): try move(id, after: target)
        case .remove(let ids): try remove(ids)
        case .removeAll: removeAll()
        case .replaceAll(let ids, let seed):
            removeAll()
            try apply(.insert(ids, .end, seed: seed))
        case .restore(let order): restore(order)
        }
    }

    /// Takes over an order that this or another queue of the same shelf had.
    package mutating func restore(_ order: QueueOrder) {
        list = ItemList(order.ids)
        original = ItemList(order.original ?? [])
        modes.isShuffled = order.original != nil
        place = order.current.flatMap { list.place(of: $0, near: 0) } ?? count
    }

    // MARK: Modes

    /// What is played again.
    package var repeatMode: RepeatMode {
        get { modes.repeatMode }
        set { modes.repeatMode = newValue }
    }
    /// Whether the player stands still behind each item.
    package var isSingle: Bool {
        get { modes.isSingle }
        set { modes.isSingle = newValue }
    }
    /// What happens at the end of an item.
    package var itemEndAction: ItemEndAction {
        get { modes.itemEndAction }
        set { modes.itemEndAction = newValue }
    }
    /// Whether an item is removed when it is left.
    package var isConsuming: Bool {
        get { modes.isConsuming }
        set { modes.isConsuming = newValue }
    }

    /// Where playing stops once.
    package var stopCondition: StopCondition? {
        get { modes.stopCondition }
        set { modes.stopCondition = newValue }
    }

    /// Takes over all modes.
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

    /// Shuffles what is still to come, or takes the original order again. The current item stays
    /// current, and behind the end the queue stays there. Nothing happens when it is so already.
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
        list.shuffle(from: currentID == nil ? 0 : place + 1, using: &generator)
    }

    // MARK: Steps

    @discardableResult
    private func existingPlace(of id: ItemID, operation: String) throws(QueueError) -> Int {
        guard let place = place(of: id) else {
            throw QueueError(
                .noSuchItem, operation: operation, reason: "the queue has no such item")
        }
        return place
    }

    /// Where in the original order an item goes that is put behind `id`.
    private func originalPlace(behind id: ItemID) -> Int {
        original.place(of: id, near: 0).map { $0 + 1 } ?? original.count
    }

    private mutating func insert(
        _ entries: [QueueEntry], at target: Int, originally originalTarget: Int
    ) -> [ItemID] {
        let ids = shelf.add(entries)
        insert(ids, at: target, originally: originalTarget)
        return ids
    }

    private mutating func insert(_ new: [ItemID], at target: Int, originally: Int) {
        // Behind the last item nothing moves away: without a current item, the first new one is it.
        if target <= place, target < count { place += new.count }
        list.insert(new, at: target)
        if modes.isShuffled { original.insert(new, at: originally) }
    }

    /// Reorders the items and finds the current one again; without one the place is the end's.
    private mutating func keepCurrent(_ reorder: (inout PlaybackQueue) -> Void) {
        let current = currentID
        reorder(&self)
        place = current.flatMap { list.place(of: $0, near: place) } ?? count
    }
}
