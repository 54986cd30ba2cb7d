import UndersongBase
import UndersongPlayback

/// Gives a player random inputs.
struct RandomPlayerInputs {
    private var stage: PlayerStage
    private var isAllowed = true
    private var generator: SeededGenerator
    private let isPlain: Bool
    /// The queue as a plain list, while only edits change it.
    private var list: [ItemID] = []
    private var isCommitting = false

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        stage = PlayerStage(endsWithQueue: seed % 5 == 4)
        isPlain = seed % 2 == 0
        insert(.end)
    }

    /// The faults found in so many random inputs.
    static func faults(of count: Int, seed: UInt64) -> [String] {
        var inputs = RandomPlayerInputs(seed: seed)
        for step in 0..<count {
            inputs.perform()
            let faults =
                step % 40 == 39
                ? inputs.stage.faultsAtRest() : inputs.stage.faults
            if !faults.isEmpty { return faults }
        }
        return inputs.stage.faultsAtEnd()
    }

    private mutating func perform() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<60: stage.work(using: &generator)
        case 60..<70: command()
        case 70..<76: jump()
        case 76..<88: edit()
        case 88..<92: changeSettings()
        case 92..<96: stage.disturb(using: &generator)
        case 96..<98: decide()
        default: commit()
        }
        guard isPlain else { return }
        stage.expect(stage.player.queue.ids == list, "an edit is lost")
    }

    private mutating func command() {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: stage.feed(.command(.play))
        case 5..<7: stage.feed(.command(.pause(.userPaused)))
        case 7: stage.feed(.command(.fadeOut(1)))
        case 8: stage.feed(.command(.cancelFadeOut))
        default: stage.feed(.command(.halt))
        }
    }

    private mutating func jump() {
        let time = CMTime(value: .random(in: 0...7, using: &generator), timescale: 1)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: stage.feed(.command(.next(.random(in: 1...3, using: &generator))))
        case 1: stage.feed(.command(.previous(.random(in: 1...3, using: &generator))))
        case 2: if let id = anyItem() { stage.feed(.command(.jump(id))) }
        case 3..<5: stage.feed(.command(.seek(time, stage.ask())))
        case 5: stage.feed(.command(.seekBy(.random(in: -3...3, using: &generator), stage.ask())))
        case 6: stage.feed(.command(.cancelSeeks))
        case 7: stage.feed(.command(.pauseAt(time, stage.ask())))
        default: stage.feed(.command(.pauseAt(nil, stage.ask())))
        }
    }

    private mutating func decide() {
        isAllowed.toggle()
        let reason = SuppressionReason(rawValue: "interrupted")
        stage.feed(.session(.policyDecided(isAllowed ? [] : [reason])))
    }

    private mutating func commit() {
        isCommitting.toggle()
        stage.feed(.edit(isCommitting ? .commitBegan : .commitEnded))
    }

    private mutating func changeSettings() {
        var settings = stage.player.settings
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: settings.rate = settings.rate == 1 ? 2 : 1
        case 1: settings.volume = settings.volume == 1 ? 0.5 : 1
        case 2: settings.modes.repeatMode = any(of: .off)
        case 3: settings.modes.isSingle.toggle()
        case 4: settings.modes.itemEndAction = any(of: .advance)
        case 5: settings.modes.stopCondition = any(of: .item)
        case 6 where !isPlain: settings.modes.isShuffled.toggle()
        case 7 where !isPlain: settings.modes.isConsuming.toggle()
        default: break
        }
        stage.feed(.command(.set(settings, seed: generator.next())))
    }

    /// Any value of the type of `value`.
    private mutating func any<Value: CaseIterable>(of value: Value) -> Value {
        Value.allCases.randomElement(using: &generator) ?? value
    }

    // MARK: Edits

    private mutating func edit() {
        switch Int.random(in: 0..<14, using: &generator) {
        case 0..<4: insert(.end)
        case 4..<6: insert(.next)
        case 6: if let id = anyItem() { insert(.after(id)) }
        case 7..<9: remove()
        case 9: move()
        case 10: clear()
        case 11: replaceAll()
        case 12: insertItem()
        default: setRange()
        }
    }

    private mutating func insert(_ target: QueueChange.Target) {
        let before: ItemID? =
            switch target {
            case .end: list.last
            case .next: stage.player.queue.currentID ?? list.last
            case .after(let id): id
            }
        let place = before.flatMap(list.firstIndex).map { $0 + 1 } ?? list.count
        let ids = stage.stage(.random(in: 1...2, using: &generator))
        mark(ids)
        list.insert(contentsOf: ids, at: place)
        stage.feed(.edit(.change(.insert(ids, target, seed: generator.next()))))
    }

    /// One in five cannot be played, and one in four needs a wide stream.
    private mutating func mark(_ ids: [ItemID]) {
        for id in ids {
            if Int.random(in: 0..<5, using: &generator) == 0 { stage.unplayable.insert(id) }
            if Int.random(in: 0..<4, using: &generator) == 0 { stage.wide.insert(id) }
        }
    }

    private mutating func remove() {
        guard let id = anyItem() else { return }
        list.removeAll { $0 == id }
        stage.feed(.edit(.change(.remove([id]))))
    }

    private mutating func move() {
        guard let id = anyItem(), let target = anyItem(), id != target else { return }
        list.removeAll { $0 == id }
        list.insert(id, at: (list.firstIndex(of: target) ?? 0) + 1)
        stage.feed(.edit(.change(.move(id, after: target))))
    }

    private mutating func clear() {
        list = []
        stage.feed(.edit(.change(.removeAll)))
    }

    private mutating func replaceAll() {
        let ids = stage.stage(3)
        mark(ids)
        list = ids
        isCommitting = Bool.random(using: &generator) || isCommitting
        stage.feed(
            .edit(.replaceQueue(ids, seed: generator.next(), isCommitted: isCommitting)))
    }

    /// Inserts an item whose id was assigned elsewhere, replacing the current one or before it.
    private mutating func insertItem() {
        let item = QueueItem(
            id: ItemID(stage.stage(1)[0].number + 1), QueueEntry(.file(path: "/own")))
        let current = stage.player.queue.currentID.flatMap(list.firstIndex)
        let replaces = Bool.random(using: &generator)
        if let current, replaces {
            list[current] = item.id
        } else {
            list.insert(item.id, at: current == nil ? list.count : 0)
        }
        stage.feed(.edit(replaces ? .replaceCurrent(item) : .goBack(item)))
    }

    private mutating func setRange() {
        guard let id = anyItem() else { return }
        let end = CMTime(value: .random(in: 1...6, using: &generator), timescale: 1)
        stage.feed(.edit(.setRange(id, start: .zero, end: end)))
    }

    private mutating func anyItem() -> ItemID? {
        stage.player.queue.ids.randomElement(using: &generator)
    }
}
