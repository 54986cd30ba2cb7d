import Testing
import UndersongBase
import UndersongPlayback

/// Random edits, with the same seeds in every run, against `QueueModel`.
@Suite struct `Many edits of a queue` {
    @Test(arguments: 0..<150)
    func `Many edits of a queue have the same result as in two plain lists`(seed: Int) throws {
        var edits = RandomEdits(seed: seed)

        for _ in 0..<150 {
            try edits.perform()

            let (queue, model) = (edits.queue, edits.model)
            try #require(queue.numbers == model.played)
            try #require(queue.currentNumber == model.current)
            try #require(queue.modes == model.modes)
            let places = model.played.map { queue.index(of: ItemID($0)) }
            try #require(places == Array(0..<queue.count))
            try #require(queue.items.map(\.end) == model.played.map { model.ends[$0] })
            let place = model.current.flatMap { model.played.firstIndex(of: $0) }
            try #require(queue.index == place ?? queue.count)
        }

        edits.setShuffled(false)
        #expect(edits.queue.numbers == edits.model.original)
        #expect(edits.queue.currentNumber == edits.model.current)
    }

    @Test(arguments: 0..<150)
    func `Many edits of a queue keep next and previous inverse to each other`(seed: Int) throws {
        var edits = RandomEdits(seed: seed)

        for _ in 0..<60 {
            try edits.perform()

            var queue = edits.queue
            queue.isConsuming = false
            for id in queue.items.map(\.id) {
                if let next = queue.next(after: id) {
                    try #require(queue.previous(before: next.id)?.id == id)
                }
                if let previous = queue.previous(before: id) {
                    try #require(queue.next(after: previous.id)?.id == id)
                }
            }
        }
    }

    /// The engine decodes ahead: it asks what follows an item long before that is heard.
    @Test(arguments: 0..<150)
    func `Many edits keep what follows the same, asked ahead or in time`(seed: Int) throws {
        var edits = RandomEdits(seed: seed)

        for _ in 0..<60 {
            try edits.perform()

            var queue = edits.queue
            queue.isSingle = false
            let limit = 2 * queue.count + 1
            let ahead = heardAhead(queue, limit: limit)
            let inTime = heardInTime(queue, limit: limit)
            try #require(ahead == inTime)
            if queue.isConsuming && queue.repeatMode != .one {
                try #require(Set(inTime).count == inTime.count)
            }
        }
    }

    private func heardAhead(_ queue: PlaybackQueue, limit: Int) -> [Int] {
        var heard: [Int] = []
        var item = queue.current
        while let id = item?.id, heard.count < limit {
            heard.append(id.number)
            item = if case .play(let next) = queue.following(id) { next } else { nil }
        }
        return heard
    }

    private func heardInTime(_ start: PlaybackQueue, limit: Int) -> [Int] {
        var queue = start
        var heard: [Int] = []
        while let id = queue.current?.id, heard.count < limit {
            heard.append(id.number)
            if case .play(let next) = queue.following(id) {
                queue.advance(to: next.id)
            } else {
                queue.advance(to: nil)
            }
        }
        return heard
    }
}

/// Applies the same random edits to a queue and to its model.
private struct RandomEdits {
    var queue = PlaybackQueue()
    var model = QueueModel()
    private var generator: SeededGenerator

    init(seed: Int) { generator = SeededGenerator(seed: seed) }

    mutating func perform() throws {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<20: append()
        case 20..<35: try insert()
        case 35..<40: insertNext()
        case 40..<55: remove()
        case 55..<56: removeAll()
        case 56..<70: try move()
        case 70..<75: try jump()
        case 75..<85: advance()
        case 85..<90: setRange()
        case 90..<95: setMode()
        default: setShuffled(Bool.random(using: &generator))
        }
    }

    private mutating func append() {
        let count = Int.random(in: 0...3, using: &generator)
        let ids = queue.append(entries(count))
        model.insert(count, after: nil)
        #expect(ids.map(\.number) == Array(model.original.suffix(count)))
    }

    private mutating func insert() throws {
        let count = Int.random(in: 0...3, using: &generator)
        guard let target = try target({ try $0.insert([], after: $1) }) else { return }
        try queue.insert(entries(count), after: ItemID(target))
        model.insert(count, after: target)
    }

    private mutating func insertNext() {
        let count = Int.random(in: 0...3, using: &generator)
        queue.insertNext(entries(count))
        model.insert(count, after: model.current)
    }

    private mutating func remove() {
        let number = number()
        let isRemoved = queue.remove(ItemID(number))
        #expect(isRemoved == model.played.contains(number))
        model.remove(number)
    }

    private mutating func removeAll() {
        queue.removeAll()
        model.removeAll()
    }

    private mutating func move() throws {
        guard let moved = try target({ try $0.move($1, after: nil) }) else { return }
        if Int.random(in: 0..<5, using: &generator) == 0 {
            try queue.move(ItemID(moved), after: nil)
            model.move(moved, after: nil)
        } else if let target = try target({ try $0.move(ItemID(moved), after: $1) }) {
            try queue.move(ItemID(moved), after: ItemID(target))
            model.move(moved, after: target)
        }
    }

    private mutating func jump() throws {
        guard let target = try target({ try $0.jump(to: $1) }) else { return }
        try queue.jump(to: ItemID(target))
        model.current = target
    }

    private mutating func advance() {
        let current = queue.current.map(\.id)
        let next = Bool.random(using: &generator) ? queue.next(after: current)?.id.number : number()
        guard next.map(model.played.contains) ?? true else { return }
        queue.advance(to: next.map { ItemID($0) })
        model.advance(to: next)
    }

    private mutating func setRange() {
        let number = number()
        let end = CMTime(value: Int64.random(in: 1...99, using: &generator), timescale: 10)
        let isChanged = queue.setRange(of: ItemID(number), start: .zero, end: end)
        let isMember = model.played.contains(number)
        #expect(isChanged == isMember)
        if isMember { model.ends[number] = end }
    }

    private mutating func setMode() {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: queue.repeatMode = .allCases.randomElement(using: &generator) ?? .off
        case 1: queue.isSingle.toggle()
        default: queue.isConsuming.toggle()
        }
        model.modes = queue.modes
    }

    /// The model cannot know the random order, but played items and the set of items must remain.
    mutating func setShuffled(_ isShuffled: Bool) {
        queue.setShuffled(isShuffled, using: &generator)
        defer { model.modes.isShuffled = isShuffled }
        guard isShuffled != model.modes.isShuffled else { return }
        if isShuffled {
            let place = model.current.flatMap { model.played.firstIndex(of: $0) }
            let kept = place.map { $0 + 1 } ?? 0
            #expect(queue.numbers.prefix(kept) == model.played.prefix(kept))
            #expect(queue.numbers.sorted() == model.played.sorted())
            model.played = queue.numbers
        } else {
            model.played = model.original
        }
    }

    private func entries(_ count: Int) -> [QueueEntry] {
        Array(repeating: QueueEntry(.standardInput), count: count)
    }

    /// Usually a number in the queue, sometimes one that was never there or is no longer there.
    private mutating func number() -> Int {
        let any = Int.random(in: -1...300, using: &generator)
        guard Int.random(in: 0..<10, using: &generator) > 0 else { return any }
        return model.played.randomElement(using: &generator) ?? any
    }

    /// A number in the queue; nil after checking that `edit` is refused for one that is not there.
    private mutating func target(
        _ edit: (inout PlaybackQueue, ItemID) throws -> Void
    ) throws -> Int? {
        let number = number()
        guard !model.played.contains(number) else { return number }
        #expect(throws: QueueError.self) { try edit(&queue, ItemID(number)) }
        return nil
    }
}
