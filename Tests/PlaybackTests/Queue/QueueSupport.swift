import Playback

extension PlaybackQueue {
    /// A queue of items that are numbered from 1 to `count`, the first one current.
    init(count: Int) {
        self.init()
        append((0..<count).map { QueueEntry(.file(path: "/\($0 + 1).mp3")) })
    }

    /// The items' numbers in play order.
    var numbers: [Int] { items.map(\.id.number) }
    /// The current item's number.
    var currentNumber: Int? { current?.id.number }
}

/// The item with this number in a queue that was made by `init(count:)`.
func item(_ number: Int) -> QueueItem {
    QueueItem(id: ItemID(number), source: .file(path: "/\(number).mp3"))
}

/// The same random numbers in every run: a counter whose bits are mixed well (SplitMix64).
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
