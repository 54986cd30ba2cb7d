import Synchronization
import Testing
import UndersongBase

/// A machine whose every input has a slow and an urgent effect.
private struct Doubler: Machine {
    enum Input: MachineInput { case number(Int), timePassed }
    enum Effect: Hashable, Sendable { case slow(Int), urgent(Int) }

    private(set) var numbers: [Int] = []

    mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        guard case .number(let number) = input else { return [] }
        numbers.append(number)
        return [.slow(number), .urgent(number)]
    }

    func nextDue(at now: Double) -> Due { .never }
}

/// An alarm that nobody sets.
private final class NoAlarm: Alarm {
    func set(boot: Double?, wall: Double?) {}
    func stop() {}
}

private actor Stage {
    nonisolated let executor = QueueExecutor()
    private var log: [String] = []
    private lazy var shell = makeShell()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private func makeShell() -> Shell<Doubler> {
        Shell(
            Doubler(), in: self, on: executor, now: { 0 }, alarm: { NoAlarm() },
            performAtOnce: { [unowned self] effect in
                guard case .urgent(let number) = effect else { return false }
                assumeIsolated { $0.log.append("urgent \(number)") }
                return true
            }, perform: { [unowned self] in await perform($0) })
    }

    private func perform(_ effects: [Doubler.Effect]) async {
        for effect in effects {
            log.append("\(effect)")
            await Task.yield()
        }
    }

    /// Handles inputs without a pause, and returns what was performed in the end.
    func handle(_ numbers: [Int]) async -> [String] {
        for number in numbers { shell.handle(.number(number)) }
        log.append("handled")
        await shell.settle()
        return log
    }
}

@Suite struct `Urgent effects of a machine` {
    @Test func `Urgent effects overtake those that wait for their turn`() async {
        let log = await Stage().handle([1, 2])

        #expect(log == ["urgent 1", "urgent 2", "handled", "slow(1)", "slow(2)"])
    }
}

@Suite struct `A machine on a queue` {
    @Test func `A machine on a queue is read when its effects are performed`() {
        let performed = Performed()
        let shell = QueueShell(Doubler(), label: "read", now: { 0 }) { effects in
            // Long enough for a reader that does not wait.
            for _ in 0..<1000 { performed.add(0) }
            performed.add(effects.count)
        }

        shell.post(.number(7))
        let (numbers, last) = shell.read { ($0.numbers, performed.last) }

        #expect(numbers == [7] && last == 2)
    }
}

private final class Performed: Sendable {
    private let counts = Mutex<[Int]>([])

    var last: Int? { counts.withLock(\.last) }

    func add(_ count: Int) { counts.withLock { $0.append(count) } }
}
