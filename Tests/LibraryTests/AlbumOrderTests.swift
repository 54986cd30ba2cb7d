import TestSupport
import Testing
import UndersongBase
import UndersongLibrary
import UndersongPlayback

@Suite struct `The shuffled albums of a queue` {
    /// Numbers from a seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private func entry(
        _ id: Int, _ path: FilePath, _ album: String?, start: Double = 0
    ) -> AlbumOrder.Entry {
        AlbumOrder.Entry(id: ItemID(id), path: path, start: start, album: album)
    }

    private func shuffled(
        _ entries: [AlbumOrder.Entry], current: Int? = nil, seed: UInt64
    ) -> [Int] {
        var generator = Generator(state: seed)
        return AlbumOrder.shuffled(
            entries, current: current.map { ItemID($0) }, using: &generator
        ).map(\.number)
    }

    /// Two albums with two discs or tracks each, and two songs.
    private var queue: [AlbumOrder.Entry] {
        [
            entry(1, "/m/Homogenic/10.flac", "Homogenic"),
            entry(2, "/m/Blue/Disc 2/01.flac", "Blue"),
            entry(3, "/m/single.mp3", nil),
            entry(4, "/m/Blue/Disc 1/01.flac", "Blue"),
            entry(5, "/m/Homogenic/2.flac", "Homogenic"),
            entry(6, "/m/other.mp3", nil),
        ]
    }

    @Test(.rule("LB21"))
    func `Albums stay together, in the order of their files, and come in every order`() {
        var orders: Set<[Int]> = []
        for seed in 0..<400 {
            let order = shuffled(queue, seed: UInt64(seed))
            orders.insert(order)
            let text = order.map(String.init).joined()
            #expect(order.sorted() == [1, 2, 3, 4, 5, 6])
            #expect(text.contains("51"))
            #expect(text.contains("42"))
        }
        // Four albums, songs of their own among them.
        #expect(orders.count == 24)
    }

    @Test(.rule("LB21"))
    func `The album of the current item comes first, from its first item on`() {
        for seed in 0..<50 {
            #expect(shuffled(queue, current: 1, seed: UInt64(seed)).prefix(2) == [5, 1])
            #expect(shuffled(queue, current: 6, seed: UInt64(seed)).first == 6)
        }
    }

    @Test(.rule("LB21"))
    func `Albums of one name in other folders are others`() {
        let hits = [
            entry(1, "/m/Queen/Greatest Hits/1.mp3", "Greatest Hits"),
            entry(2, "/m/Abba/Greatest Hits/1.mp3", "Greatest Hits"),
            entry(3, "/m/Queen/Greatest Hits/2.mp3", "Greatest Hits"),
            entry(4, "/m/Abba/Greatest Hits/2.mp3", "Greatest Hits"),
        ]
        for seed in 0..<50 {
            #expect([[1, 3, 2, 4], [2, 4, 1, 3]].contains(shuffled(hits, seed: UInt64(seed))))
        }
    }

    @Test(.rule("LB21"))
    func `The parts of a file are in the order in which it has them`() {
        let parts = [
            entry(1, "/m/a.flac", "A", start: 200), entry(2, "/m/a.flac", "A", start: 0),
            entry(3, "/m/a.flac", "A", start: 100),
        ]

        #expect(shuffled(parts, seed: 1) == [2, 3, 1])
    }
}
