import UndersongPlayback

/// A model of a queue in the simplest form: two lists of numbers, searched from the front.
/// The original order is always kept, so it is the play order while nothing is shuffled.
struct QueueModel {
    var played: [Int] = []
    var original: [Int] = []
    var current: Int?
    var ends: [Int: CMTime] = [:]
    var modes = PlaybackModes()
    private var lastNumber = 0

    /// Adds `count` numbers after `target`, or at the end for nil.
    mutating func insert(_ count: Int, after target: Int?) {
        let new = Array(lastNumber + 1..<lastNumber + 1 + count)
        lastNumber += count
        let isAtEnd = target == nil || target == played.last
        played.insert(contentsOf: new, after: target ?? played.last)
        original.insert(contentsOf: new, after: target ?? original.last)
        if current == nil && isAtEnd { current = new.first }
    }

    mutating func remove(_ number: Int) {
        if number == current {
            let later = played.drop { $0 != number }.dropFirst()
            let others = played.filter { $0 != number }
            current = later.first ?? (modes.repeatMode == .all ? others.first : nil)
        }
        played.removeAll { $0 == number }
        original.removeAll { $0 == number }
        ends[number] = nil
    }

    mutating func removeAll() {
        (played, original, current, ends) = ([], [], nil, [:])
    }

    mutating func move(_ number: Int, after target: Int?) {
        guard target != number else { return }
        played.removeAll { $0 == number }
        original.removeAll { $0 == number }
        played.insert(contentsOf: [number], after: target)
        original.insert(contentsOf: [number], after: target)
    }

    mutating func advance(to number: Int?) {
        let left = current
        current = number
        if let left, left != number, modes.isConsuming { remove(left) }
    }
}

extension [Int] {
    /// At the front for nil.
    fileprivate mutating func insert(contentsOf new: [Int], after target: Int?) {
        let place = target.flatMap { firstIndex(of: $0) }
        insert(contentsOf: new, at: place.map { $0 + 1 } ?? 0)
    }
}
