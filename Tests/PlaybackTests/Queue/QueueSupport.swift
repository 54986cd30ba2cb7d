import UndersongBase
import UndersongPlayback

extension PlaybackQueue {
    /// A queue of items numbered from 1 to `count`, the first one current.
    init(count: Int) {
        self.init()
        append((0..<count).map { QueueEntry(.file(path: "/\($0 + 1).mp3")) })
    }

    /// The items' numbers in play order.
    var numbers: [Int] { items.map(\.id.number) }
    /// The current item's number.
    var currentNumber: Int? { current?.id.number }
}

/// The item with this number in a queue made by `init(count:)`.
func item(_ number: Int) -> QueueItem {
    QueueItem(id: ItemID(number), source: .file(path: "/\(number).mp3"))
}

extension SeededGenerator {
    /// The same random numbers in every run.
    init(seed: Int) { self.init(seed: UInt64(seed)) }
}
