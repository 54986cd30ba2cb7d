import TestSupport
import Testing
import UndersongBase

/// A machine that repeats words, and is due a second after each of them.
private struct Repeater: Machine {
    enum Input: MachineInput {
        case say(String)
        case timePassed
    }

    private(set) var due = Due.never

    mutating func handle(_ input: Input, at now: Double) -> [String] {
        switch input {
        case .say(let word):
            due = Due(boot: now + 1)
            return [word, word + "!"]
        case .timePassed:
            due = .never
            return ["late"]
        }
    }

    func nextDue(at now: Double) -> Due { due }

    mutating func delay(to time: Double) { due = Due(boot: time) }
}

@Suite struct `A due time` {
    private final class Bench {
        let clock = ManualClock()
        var performed: [String] = []
        lazy var shell = ThreadShell(
            Repeater(), now: { [clock] in clock.secondsSinceBoot },
            perform: { [unowned self] in performed += $0 })
    }

    private let bench = Bench()

    @Test func `A shell handles what is due once, and nothing before`() {
        bench.shell.handle(.say("x"))

        bench.clock.advance(by: 0.9)
        bench.shell.handleDue(by: bench.clock)
        let before = bench.performed
        bench.clock.advance(by: 0.1)
        bench.shell.handleDue(by: bench.clock)
        bench.clock.advance(by: 10)
        bench.shell.handleDue(by: bench.clock)

        #expect(before == ["x", "x!"])
        #expect(bench.performed == ["x", "x!", "late"])
    }

    @Test func `A shell is due as its machine says after every input and change`() {
        let start = bench.clock.secondsSinceBoot
        let first = bench.shell.nextDue
        bench.shell.handle(.say("x"))
        let second = bench.shell.nextDue
        bench.shell.update { $0.delay(to: start + 5) }

        #expect(first == .never)
        #expect(second == Due(boot: start + 1))
        #expect(bench.shell.nextDue == Due(boot: start + 5))
    }

    @Test func `A limited due time is the earlier one by each clock`() {
        var due = Due(boot: 5)

        due.limit(to: Due(boot: 7, wall: 9))
        due.limit(to: .never)
        due.limit(to: Due(boot: 4, wall: 10))

        #expect(due == Due(boot: 4, wall: 9))
    }

    @Test func `A due time is as far away as the clock that reaches it first`() {
        let clock = bench.clock
        let (boot, epoch) = (clock.secondsSinceBoot, clock.secondsSinceEpoch)

        #expect(Due.never.seconds(by: clock) == .infinity)
        #expect(Due(boot: boot + 8).seconds(by: clock) == 8)
        #expect(Due(boot: boot + 8, wall: epoch + 2).seconds(by: clock) == 2)
        #expect(Due(boot: boot - 1, wall: epoch + 2).seconds(by: clock) == -1)
    }
}
