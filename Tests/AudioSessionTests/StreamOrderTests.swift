import Synchronization
import Testing

@testable import UndersongAudioSession

@Suite struct `The clocks of streams` {
    private let order = StreamOrder()
    private let performed = Performed()

    @Test func `What the clocks of streams report is performed at once, in order`() {
        for name in ["a", "b"] { report(name, from: 1) }

        #expect(performed.names == ["a", "b"])
    }

    @Test func `A stream's reports come after everything of the streams before`() {
        report("playing 1", from: 1)
        report("playing 2", from: 2)
        report("began 2", from: 2)
        report("playing 3", from: 3)
        report("held 1", from: 1)
        #expect(performed.names == ["playing 1", "held 1"])
        report("stopped 1", from: 1, isLast: true)

        #expect(performed.names.suffix(3) == ["stopped 1", "playing 2", "began 2"])
        report("tick 2", from: 2)
        report("stopped 2", from: 2, isLast: true)
        report("tick 3", from: 3)
        #expect(performed.names.suffix(4) == ["tick 2", "stopped 2", "playing 3", "tick 3"])
    }

    @Test func `A stream's reports are left out if a later stream has sounded before them`() {
        report("playing 2", from: 2)
        report("held 1", from: 1)
        report("stopped 1", from: 1, isLast: true)
        report("stopped 2", from: 2, isLast: true)
        report("held 1", from: 1)

        #expect(performed.names == ["playing 2", "stopped 2"])
    }

    @Test func `A stream's reports wait for no stream that does not count any longer`() {
        report("playing 1", from: 1)
        report("playing 2", from: 2)

        order.end(before: 2)
        report("held 1", from: 1)
        report("tick 2", from: 2)

        #expect(performed.names == ["playing 1", "playing 2", "tick 2"])
    }

    @Test func `Streams' reports are performed one after the other, whichever threads report`()
        async
    {
        for stream in 1...4 { report("\(stream)", from: stream) }

        await withTaskGroup { group in
            for stream in (1...4).reversed() {
                group.addTask {
                    for number in 1...500 {
                        report("\(stream)", from: stream, isLast: number == 500)
                    }
                }
            }
        }

        #expect(performed.names == (1...4).flatMap { [String](repeating: "\($0)", count: 501) })
    }

    private func report(_ name: String, from stream: Int, isLast: Bool = false) {
        order.report(from: stream, isLast: isLast) { [performed] in performed.add(name) }
    }
}

private final class Performed: Sendable {
    private let list = Mutex<[String]>([])
    var names: [String] { list.withLock { $0 } }

    func add(_ name: String) { list.withLock { $0.append(name) } }
}
