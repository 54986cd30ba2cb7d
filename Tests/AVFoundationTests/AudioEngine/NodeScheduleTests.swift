import Testing
import UndersongPlayback

@testable import UndersongAVFoundation

/// Host times are in nanoseconds; a sound is named by its length in seconds.
@Suite struct `A player node's schedule` {
    private static let format = StreamFormat(sampleRate: 44_100, channelCount: 1)
    private var schedule = NodeSchedule()
    private let log = Log()

    @Test mutating func `A node's schedule gives some seconds at a time, in order`() {
        for _ in 0..<100 { add(0.1) }

        let first = give()

        #expect(first.count == 21)
        #expect(give().isEmpty)
        #expect(schedule.began(first[1].id).isEmpty)
        #expect(give().map(\.id.number) == [22])
    }

    @Test mutating func `A node's schedule gives at least two entries, however long`() {
        for _ in 0..<3 { add(100) }

        #expect(give().count == 2)
    }

    @Test mutating func `A node's schedule gives no more than there are files to be opened`() {
        for _ in 0..<1000 { add(0.001) }

        #expect(give().count == 64)
    }

    @Test mutating func `A node's schedule counts the time that is heard, and the time between`() {
        add(1)
        add(2)
        let ids = give().map(\.id)

        #expect(schedule.time(at: 5, nil) == 0)
        schedule.run(at: 1, from: 0)
        #expect(time(5, ids[0], 0.25) == 0.25)
        #expect(time(5, ids[1], 0.25) == 1.25)
        #expect(time(5, ids[0], 7) == 1)
        _ = schedule.began(ids[1])
        #expect(time(5, ids[0], 1) == 1)
        #expect(time(5, ids[1], 0.5) == 1.5)
        _ = schedule.ended(ids[1], at: 10_000_000_000)
        #expect(time(10_500_000_000, ids[1], 2) == 3.5)
        add(1)
        let next = give(at: 11_000_000_000)
        #expect(time(11_500_000_000, next[0].id, 0.125) == 4.125)
    }

    @Test
    mutating func `A node's schedule counts the time of a part of a file from the part's start`() {
        schedule.add(
            .file(.file(path: "a"), start: 441_000, frames: 44_100, format: Self.format), at: nil,
            isLooping: false, nil)
        let id = give()[0].id

        #expect(time(0, id, 10.5) == 0.5)
    }

    @Test
    mutating func `A node's schedule runs at the tempo in silence, and not while paused`() {
        schedule.run(at: 2, from: 1_000_000_000)
        #expect(schedule.time(at: 2_000_000_000, nil) == 2)

        schedule.run(at: 0, from: 2_000_000_000)
        #expect(schedule.time(at: 9_000_000_000, nil) == 2)
        schedule.run(at: 1, from: 9_000_000_000)

        #expect(schedule.time(at: 10_000_000_000, nil) == 3)
    }

    @Test mutating func `A node's schedule has silence before what begins later`() {
        add(1)
        add(1, at: .time(2.5))
        add(1, at: .time(1))

        let items = give()

        #expect(items.map(\.sound.seconds) == [1, 1.5, 1])
        _ = schedule.began(items[2].id)
        #expect(give().map(\.sound.seconds) == [1])
    }

    @Test
    mutating func `A node's schedule has silence in the format of the file that comes after it`() {
        schedule.add(
            .file(.file(path: "a"), start: 0, frames: 44_100, format: Self.format),
            at: .time(1), isLooping: false, nil)

        guard case .memory(let silence)? = give().first?.sound else {
            Issue.record("there is no silence")
            return
        }
        #expect(silence.format == Self.format && silence.frames == 44_100)
    }

    @Test mutating func `A node's schedule waits to play before a host time counts`() {
        add(1, at: .host(3_000_000_000))

        #expect(give().isEmpty)
        schedule.run(at: 1, from: 1_000_000_000)

        #expect(give(at: 1_000_000_000).map(\.sound.seconds) == [2, 1])
    }

    @Test mutating func `A node's schedule divides a long silence`() {
        add(1, at: .time(9000))

        let first = give()

        #expect(first.map(\.sound.seconds) == [3600, 3600])
        _ = schedule.began(first[1].id)
        #expect(give().map(\.sound.seconds) == [1800])
    }

    @Test mutating func `A node's schedule calls back once something was heard to its end`() {
        for name in ["a", "b", "c"] { add(1, name) }
        let ids = give().map(\.id)

        #expect(names(schedule.began(ids[0])).isEmpty)
        #expect(names(schedule.ended(ids[0], at: 0)) == ["a"])
        #expect(names(schedule.began(ids[1])).isEmpty)
        #expect(names(schedule.began(ids[2])) == ["b"])
        #expect(names(schedule.ended(ids[2], at: 0)) == ["c"])
    }

    @Test mutating func `A node's schedule calls back for what cannot be played, the last one too`()
    {
        for name in ["a", "b"] { add(1, name) }
        let ids = give().map(\.id)

        schedule.failed(ids[0])
        #expect(names(schedule.ranDry(at: 0)).isEmpty)
        #expect(names(schedule.began(ids[1])) == ["a"])
        schedule.failed(ids[1])

        #expect(names(schedule.ranDry(at: 0)) == ["b"])
        #expect(schedule.time(at: 0, nil) == 2)
    }

    @Test mutating func `A node's schedule repeats a buffer until it is interrupted at its end`() {
        add(0.5, "loop", loops: true)
        add(1, "never")
        let first = give()
        #expect(first.map(\.sound.seconds) == [0.5, 0.5, 0.5, 0.5, 0.5])
        _ = schedule.began(first[1].id)
        #expect(give().count == 1)

        let removed = schedule.interruptAtLoop()
        add(1, "next")
        let next = give()

        #expect(removed.items == [first[2].id, first[3].id, first[4].id, ItemID(6)])
        #expect(names(removed.callbacks) == ["never"])
        #expect(next.map(\.sound.seconds) == [1])
        #expect(names(schedule.began(next[0].id)) == ["loop"])
    }

    @Test mutating func `A node's schedule begins again now when interrupted`() {
        add(10, "old")
        add(10, "older")
        let ids = give().map(\.id)
        schedule.run(at: 1, from: 0)

        let removed = schedule.interrupt(
            at: 4, NodeSchedule.Heard(item: ids[0], seconds: 3))
        add(1, "new")
        let next = give(at: 4)

        #expect(removed.items == ids)
        #expect(names(removed.callbacks) == ["old", "older"])
        #expect(time(4, next[0].id, 0) == 3)
        #expect(names(schedule.ended(next[0].id, at: 0)) == ["new"])
    }

    @Test mutating func `A node's schedule is empty and at its start after a reset`() {
        add(1, "a")
        let ids = give().map(\.id)
        schedule.run(at: 1, from: 0)
        _ = schedule.ended(ids[0], at: 5)
        add(1, "b")

        #expect(names(schedule.reset()) == ["b"])
        #expect(schedule.time(at: 99_000_000_000, nil) == 0)
        #expect(schedule.tempo == 0)
        #expect(give().isEmpty)
    }

    @Test mutating func `A node's schedule calls back 0.1 s before the end of what is consumed`() {
        add(1, "a", .dataConsumed)
        add(1, "b", .dataPlayedBack)
        add(0.25, "c", .dataConsumed)
        let ids = give().map(\.id)
        #expect(schedule.consumed(at: 0, nil).next == nil)
        schedule.run(at: 1, from: 0)

        #expect(consumed(0, ids[0], 0.75).next == 150_000_000)
        #expect(names(consumed(0, ids[0], 0.75).callbacks).isEmpty)
        #expect(names(consumed(0, ids[0], 0.9375).callbacks) == ["a"])
        #expect(consumed(0, ids[0], 0.9375).next == 1_212_500_000)
        #expect(names(schedule.began(ids[1])).isEmpty)
        schedule.run(at: 2, from: 0)

        // 0.1875 s are left, which take less than a tenth of a second at this tempo.
        #expect(names(schedule.ended(ids[1], at: 0)) == ["b"])
        #expect(names(consumed(0, ids[2], 0.0625).callbacks) == ["c"])
    }

    // MARK: Acting

    private mutating func add(
        _ seconds: Double, _ name: String = "",
        _ type: AVAudioPlayerNodeCompletionCallbackType = .dataPlayedBack,
        at start: NodeSchedule.Start? = nil, loops: Bool = false
    ) {
        let file = WaveFile(
            seconds: seconds, format: StreamFormat(sampleRate: 8000, channelCount: 1))
        let log = log
        schedule.add(
            .memory(file), at: start, isLooping: loops,
            name.isEmpty ? nil : NodeCallback(type) { _ in log.note(name) })
    }

    private mutating func give(at hostTime: Int64 = 0) -> [(id: ItemID, sound: NodeSound)] {
        schedule.next(at: hostTime, nil)
    }

    private func time(_ hostTime: Int64, _ item: ItemID, _ seconds: Double) -> Double {
        schedule.time(at: hostTime, NodeSchedule.Heard(item: item, seconds: seconds))
    }

    private mutating func consumed(
        _ hostTime: Int64, _ item: ItemID, _ seconds: Double
    ) -> (callbacks: [NodeCallback], next: Int64?) {
        schedule.consumed(at: hostTime, NodeSchedule.Heard(item: item, seconds: seconds))
    }

    /// The names of the callbacks.
    private func names(_ callbacks: [NodeCallback]) -> [String] {
        let before = log.all.count
        for callback in callbacks { callback.call(callback.type) }
        return Array(log.all[before...])
    }
}
