import Synchronization
import Testing
import UndersongPlayback

@testable import UndersongAudioIO

@Suite struct `A request to the decode thread` {
    private let signals = PipelineSignals()

    @Test func `Requests of several threads are received once, in the order of each thread`() throws
    {
        let control = DecodeControl(signals: signals)
        let taken = Mutex<[Int]>([])
        let writers = (0..<3).map { writer in
            { @Sendable in
                for number in 0..<500 { control.append(passage(writer * 1000 + number)) }
            }
        }

        try together(
            writers[0], writers[1], writers[2],
            { [signals] in
                while taken.withLock(\.count) < 1500 {
                    if case .play(let passage) = control.popRequest() {
                        taken.withLock { $0.append(passage.id.number) }
                    } else {
                        signals.decode.wait { control.hasRequest }
                    }
                }
            })

        let numbers = taken.withLock(\.self)
        let isInOrder = (0..<3).allSatisfy { writer in
            numbers.filter { $0 / 1000 == writer } == (0..<500).map { writer * 1000 + $0 }
        }
        #expect(isInOrder)
        #expect(!control.hasRequest)
    }

    @Test func `A request replaces earlier ones, however many arrive while the thread works`()
        throws
    {
        let control = DecodeControl(signals: signals)
        let taken = Mutex<[Int]>([])

        try together(
            {
                for number in 1...2000 {
                    control.splice(passage(2 * number), at: .now)
                    control.append(passage(2 * number + 1))
                }
            },
            { [signals] in
                while taken.withLock(\.last) != 4001 {
                    if case (_, .play(let passage))? = control.popChange() {
                        taken.withLock { $0.append(passage.id.number) }
                    } else if case .play(let passage) = control.popRequest() {
                        taken.withLock { $0.append(passage.id.number) }
                    } else {
                        signals.decode.wait { control.hasRequest }
                    }
                }
            })

        let numbers = taken.withLock(\.self)
        #expect(numbers.suffix(2) == [4000, 4001])
        let isRising = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
        #expect(isRising)
        // What is appended to a change follows it or, once there is a newer one, is dropped.
        let isBehind = numbers.indices.allSatisfy { index in
            numbers[index].isMultiple(of: 2)
                || index > 0 && numbers[index - 1] == numbers[index] - 1
        }
        #expect(isBehind)
    }

    @Test func `A request to follow a passage not received yet does not change the stream`() {
        let control = DecodeControl(signals: signals)
        control.append(passage(1))
        control.append(passage(2))

        control.splice(passage(3), at: .after(PassageID(1)))

        #expect(!control.hasChange)
        #expect(control.popRequest() == .play(passage(1)))
        #expect(control.popRequest() == .play(passage(3)))
        #expect(control.popRequest() == nil)
    }

    @Test func `A request to follow a received passage does not wait for anything else`() {
        let control = DecodeControl(signals: signals)
        control.append(passage(1))
        _ = control.popRequest()
        control.append(passage(2))

        control.splice(nil, at: .after(PassageID(1)))

        #expect(control.hasChange)
        #expect(control.popRequest() == nil)
        let change = control.popChange()
        #expect(change?.0 == .after(PassageID(1)) && change?.1 == .finish)
        #expect(control.popChange() == nil)
    }

    @Test func `A request that was put back is void once there is a newer change`() {
        let control = DecodeControl(signals: signals)
        control.splice(passage(1), at: .now)
        let first = control.popChange()

        control.requeue(.play(passage(1)))
        let again = control.popRequest()
        control.splice(passage(2), at: .after(PassageID(9)))
        control.requeue(.play(passage(1)))
        control.restore(.now)
        let second = control.popChange()

        #expect(first?.1 == .play(passage(1)))
        #expect(again == .play(passage(1)))
        #expect(second?.0 == .after(PassageID(9)) && second?.1 == .play(passage(2)))
        #expect(!control.hasRequest)
    }

    @Test func `A request to stop wakes the decode thread`() throws {
        let control = DecodeControl(signals: signals)
        let isAsleep = Shared()

        try together(
            { [signals] in
                while !control.isStopped {
                    signals.decode.wait {
                        isAsleep.value = 1
                        return control.hasRequest || control.isStopped
                    }
                }
            },
            {
                while isAsleep.value == 0 {}
                control.stop()
            })

        #expect(control.isStopped)
    }
}

private func passage(_ number: Int) -> Passage {
    Passage(
        id: PassageID(number),
        item: QueueItem(id: ItemID(number), source: .file(path: "\(number).mp3")), start: .zero)
}
