import Synchronization
import Testing

@testable import AudioSession

@Suite struct `What the clocks of streams report` {
    private let order = StreamOrder()
    private let performed = Performed()

    @Test func `is performed at once, in order`() {
        order.begin(1)

        for name in ["a", "b"] { report(name, from: 1) }

        #expect(performed.names == ["a", "b"])
    }

    @Test func `comes after everything of the streams before`() {
        for stream in 1...3 { order.begin(stream) }

        report("playing 2", from: 2)
        report("began 2", from: 2)
        report("playing 3", from: 3)
        report("held 1", from: 1)
        #expect(performed.names == ["held 1"])
        report("stopped 1", from: 1, isLast: true)

        #expect(performed.names == ["held 1", "stopped 1", "playing 2", "began 2"])
        report("tick 2", from: 2)
        report("stopped 2", from: 2, isLast: true)
        report("tick 3", from: 3)
        #expect(performed.names.suffix(4) == ["tick 2", "stopped 2", "playing 3", "tick 3"])
    }

    @Test func `waits for no stream that takes more than a second to end`() {
        for stream in 1...2 { order.begin(stream) }

        report("playing 2", from: 2, at: 5_000_000_000)
        report("tick 2", from: 2, at: 6_000_000_000)
        #expect(performed.names.isEmpty)
        report("tock 2", from: 2, at: 6_000_000_001)
        report("held 1", from: 1, at: 6_000_000_002)

        #expect(performed.names == ["playing 2", "tick 2", "tock 2"])
    }

    @Test func `is performed once and one after the other, whichever threads report`() async {
        for stream in 1...4 { order.begin(stream) }

        await withTaskGroup { group in
            for stream in (1...4).reversed() {
                group.addTask {
                    for number in 1...500 {
                        report("\(stream)", from: stream, isLast: number == 500)
                    }
                }
            }
        }

        #expect(performed.names == (1...4).flatMap { [String](repeating: "\($0)", count: 500) })
    }

    private func report(
        _ name: String, from stream: Int, at hostTime: Int64 = 0, isLast: Bool = false
    ) {
        order.report(from: stream, at: hostTime, isLast: isLast) { [performed] in
            performed.add(name)
        }
    }
}

private final class Performed: Sendable {
    private let list = Mutex<[String]>([])
    var names: [String] { list.withLock { $0 } }

    func add(_ name: String) { list.withLock { $0.append(name) } }
}
