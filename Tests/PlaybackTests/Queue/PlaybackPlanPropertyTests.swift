import Testing
import UndersongBase
import UndersongPlayback

/// Random edits of a queue while it plays, the same in every run. Commands, decoding, hearing and
/// the reports of both happen in any order.
@Suite struct `The sound of a queue edited while it plays` {
    @Test(arguments: 0..<400)
    func `What is heard of a queue that is edited while it plays is what the queue last said`(
        seed: Int
    ) throws {
        var session = EditedSession(seed: seed)

        for _ in 0..<12 {
            session.editAndPlay(steps: 60)
            session.settle()
            let expected = session.expected(limit: 12)

            // From here on the queue is not edited any more.
            var copy = session
            copy.playOn(steps: 1000)

            #expect(copy.heardSince(session).prefix(12) == expected[...])
            guard copy.heardSince(session).prefix(12) == expected[...] else { return }
        }
    }
}

/// A queue, a plan and a sound path, combined as the engine does.
private struct EditedSession {
    private var queue = PlaybackQueue()
    private var plan = PlaybackPlan()
    private var path = SoundPathModel()
    private var generator: SeededGenerator

    init(seed: Int) {
        generator = SeededGenerator(seed: seed)
        append()
    }

    // MARK: What is expected

    /// The items to be heard from now on: the current one, if it is not heard yet, and what follows
    /// it in the current queue.
    func expected(limit: Int) -> [ItemID] {
        guard let current = plan.current else { return [] }
        var items = path.heardItems.isEmpty || !hasBegun ? [current.item.id] : []
        var last = current.item.id
        while items.count < limit, let next = playable(after: last) {
            items.append(next)
            last = next
        }
        return items
    }

    private var hasBegun: Bool { plan.current.map { begun == $0.id } ?? false }
    private var begun: PassageID?

    private func playable(after id: ItemID) -> ItemID? {
        guard case .play(var item) = queue.following(id) else { return nil }
        for _ in 0..<queue.count {
            if !path.unplayable.contains(item.id) { return item.id }
            // Past the end only if it does not stop after it.
            let isLast = queue.index(of: item.id) == queue.count - 1
            guard !isLast || queue.stopCondition != .queue, let next = queue.next(after: item.id)
            else { return nil }
            item = next
        }
        return nil
    }

    func heardSince(_ earlier: EditedSession) -> [ItemID] {
        Array(path.heardItems.dropFirst(earlier.path.heardItems.count))
    }

    // MARK: What happens

    /// Makes everything happen in any order.
    mutating func editAndPlay(steps: Int) {
        for _ in 0..<steps {
            if Int.random(in: 0..<6, using: &generator) == 0 { edit() } else { work() }
        }
    }

    /// Makes everything happen except edits.
    mutating func playOn(steps: Int) {
        for _ in 0..<steps { work() }
        settle()
    }

    /// Makes everything happen except hearing, until nothing is left to do.
    mutating func settle() {
        while handleReport(\.decodeReports) || handleReport(\.clockReports) || path.decode() {}
    }

    private mutating func work() {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: _ = path.decode()
        case 1: _ = path.hear()
        case 2: _ = handleReport(\.decodeReports)
        default: _ = handleReport(\.clockReports)
        }
    }

    private mutating func handleReport(
        _ reports: WritableKeyPath<SoundPathModel, [SoundPathModel.Report]>
    ) -> Bool {
        guard !path[keyPath: reports].isEmpty else { return false }
        handle(path[keyPath: reports].removeFirst())
        return true
    }

    private mutating func handle(_ report: SoundPathModel.Report) {
        switch report {
        case .opened(let id):
            path.apply(plan.opened(id, in: queue))
        case .failed(let id):
            path.apply(plan.failed(id, in: queue))
        case .began(let passage):
            guard plan.contains(passage.id) else { return }
            begun = passage.id
            plan.began(passage.id)
            if queue.current?.id != passage.item.id { queue.advance(to: passage.item.id) }
        case .finished:
            if plan.isHeardOut { end() }
        case .needsWiderStream: break
        }
    }

    private mutating func end() {
        let last = plan.current
        plan.ended()
        if let last, case .hold(let next?) = queue.following(last.item.id) {
            queue.advance(to: next.id)
        } else {
            queue.advance(to: nil)
        }
        queue.stopCondition = nil
    }

    // MARK: Edits

    private mutating func edit() {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<5: append()
        case 5..<9: insert()
        case 9..<12: remove()
        case 12..<15: move()
        case 15..<17: changeModes()
        case 17: jump()
        case 18: seek()
        default: next()
        }
        path.apply(plan.revise(for: queue))
    }

    private mutating func append() { mark(queue.append(entries())) }

    private mutating func insert() {
        guard let later = anyItem() else { return }
        if let ids = try? queue.insert(entries(), after: later) { mark(ids) }
    }

    private mutating func entries() -> [QueueEntry] {
        (0..<Int.random(in: 1...2, using: &generator)).map { _ in QueueEntry(.standardInput) }
    }

    /// One in five cannot be played.
    private mutating func mark(_ ids: [ItemID]) {
        for id in ids where Int.random(in: 0..<5, using: &generator) == 0 {
            path.unplayable.insert(id)
        }
    }

    private mutating func remove() {
        guard queue.count > 2, let id = anyItem() else { return }
        let isCurrent = queue.current?.id == id
        queue.remove(id)
        if isCurrent { leave(for: queue.current) }
    }

    private mutating func move() {
        guard let id = anyItem(), let target = anyItem() else { return }
        try? queue.move(id, after: target)
    }

    private mutating func changeModes() {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: queue.repeatMode = RepeatMode.allCases.randomElement(using: &generator) ?? .off
        case 1: queue.isSingle.toggle()
        case 2: queue.isConsuming.toggle()
        case 3: queue.stopCondition = [nil, .item, .queue].randomElement(using: &generator) ?? nil
        default: queue.setShuffled(!queue.modes.isShuffled, using: &generator)
        }
    }

    private mutating func jump() {
        guard let id = anyItem() else { return }
        try? queue.jump(to: id)
        leave(for: queue.current)
    }

    private mutating func next() {
        guard let current = queue.current else { return }
        let next = queue.next(after: current.id)
        queue.advance(to: next?.id)
        leave(for: next)
    }

    private mutating func seek() {
        guard let current = queue.current, !plan.isEmpty else { return }
        let frame = Int64.random(in: 0...5, using: &generator)
        path.apply(plan.jump(to: current, at: CMTime(value: frame, timescale: 1)).actions)
    }

    private mutating func leave(for item: QueueItem?) {
        if let item {
            path.apply(plan.jump(to: item).actions)
        } else {
            path.apply(plan.clear())
            plan.ended()
            queue.advance(to: nil)
        }
    }

    private mutating func anyItem() -> ItemID? { queue.items.randomElement(using: &generator)?.id }
}
