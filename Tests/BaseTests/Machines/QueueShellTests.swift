import Dispatch
import Synchronization
import TestSupport
import Testing
import UndersongBase

/// A shell on a queue of its own. The first step of some errands fails.
private final class QueueStage: Sendable {
    private struct State {
        var log: [String] = []
        var failing: Set<Int>
        /// The shell, once it is made.
        var shell: QueueShell<Errands>?
    }

    let time = TestTime()
    let alarm = TestAlarm()
    let shell: QueueShell<Errands>
    private let state: Box<State>

    /// Each input's effects are performed after a wait for `gate`, if there is one.
    init(failing: Set<Int> = [], gate: DispatchSemaphore? = nil) {
        let state = Box(State(failing: failing))
        shell = QueueShell(
            Errands(), label: "queue shell tests", now: { [time] in time.seconds },
            alarm: { [alarm] in alarm.make($0) },
            perform: { effects in
                gate?.wait()
                let (failed, shell) = state.value.withLock { state in
                    state.log.append(effects.map { "\($0.errand)" }.joined(separator: "+"))
                    return (
                        effects.filter { state.failing.remove($0.errand) != nil }, state.shell
                    )
                }
                for effect in failed { shell?.post(.failed(effect.errand)) }
            })
        self.state = state
        state.value.withLock { $0.shell = shell }
    }

    deinit { state.value.withLock { $0.shell = nil } }

    var log: [String] { state.value.withLock(\.log) }
}

/// A value that threads share.
private final class Box<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
}

@Suite(.blockingThreads) struct `A shell on a queue` {
    @Test func `A queue's shell handles inputs in the order in which they come`() {
        let stage = QueueStage(failing: [1, 2])

        stage.shell.post(.wanted(1, steps: 2))
        stage.shell.post(.wanted(2, steps: 1))
        stage.shell.handle(.wanted(3, steps: 1))
        stage.shell.settle()
        stage.shell.settle()

        #expect(stage.log.filter { $0 != "2" } == ["1+1", "3"])
        #expect(stage.log.count { $0 == "2" } == 2)
        #expect(stage.shell.machine.count == 5)
    }

    @Test func `A queue's shell waits for effects when it handles, but not when it posts`() throws {
        let gate = DispatchSemaphore(value: 0)
        let stage = QueueStage(gate: gate)
        let isHandled = DispatchSemaphore(value: 0)

        stage.shell.post(.wanted(1, steps: 1))
        startThread(named: "caller") {
            stage.shell.handle(.wanted(2, steps: 1))
            isHandled.signal()
        }
        let early = isHandled.wait(timeout: .now() + 0.05)
        #expect(early == .timedOut && stage.log == [])
        gate.signal()
        gate.signal()
        try isHandled.waitPatiently(orSay: "the input is never handled")

        #expect(Set(stage.log) == ["1", "2"])
    }

    @Test func `A queue's shell counts what waits, and says when an input is handled`() throws {
        let (gate, handled) = (DispatchSemaphore(value: 0), Box(0))
        let shell = QueueShell(
            Errands(), label: "queue shell tests", now: { 0 },
            whenHandled: { handled.value.withLock { $0 += 1 } }, perform: { _ in gate.wait() })

        for errand in 1...3 { shell.post(.wanted(errand, steps: errand - 1)) }
        let (waiting, early) = (shell.backlog, handled.value.withLock(\.self))
        gate.signal()
        gate.signal()
        shell.settle()

        #expect((2...3) ~= waiting && early < 2)
        #expect(shell.backlog == 0 && handled.value.withLock(\.self) == 3)
    }

    @Test func `A queue's shell handles what is due when its alarm rings, until it is stopped`() {
        let stage = QueueStage(failing: [1])
        stage.shell.handle(.wanted(1, steps: 1))
        stage.shell.settle()
        #expect(stage.alarm.settings == [1])

        stage.time.seconds = 1
        stage.alarm.ring()
        stage.shell.settle()
        #expect(stage.log == ["1", "1"])
        stage.shell.stop()
        stage.shell.handle(.failed(3))
        stage.shell.handle(.failed(4))

        #expect(stage.alarm.settings == [1, nil] && stage.alarm.stops == 1)
    }

    @Test func `A queue's shell loses and reorders nothing of several threads, whatever fails`()
        throws
    {
        let (count, drivers) = (300_000, 3)
        let (time, alarm) = (TestTime(), TestAlarm())
        let performer = Box(Performer(errands: count, drivers: drivers, seed: 50))
        let box = Box<QueueShell<Errands>?>(nil)
        let shell = QueueShell(
            Errands(), label: "queue shell tests", now: { time.seconds },
            alarm: { alarm.make($0) },
            perform: { effects in
                let failed = performer.value.withLock { performer in
                    effects.filter { !performer.perform($0) }
                }
                guard !failed.isEmpty, let shell = box.value.withLock(\.self) else { return }
                for effect in failed { shell.post(.failed(effect.errand)) }
            })
        box.value.withLock { $0 = shell }
        let wanted = (0..<count).map { Int(SeededGenerator.number(UInt64($0)) & 3) }

        let isOver = DispatchSemaphore(value: 0)
        for driver in 0..<drivers {
            startThread(named: "driver") {
                for errand in stride(from: driver, to: count, by: drivers) {
                    let input = Errands.Input.wanted(errand, steps: wanted[errand])
                    if errand & 31 == 0 { shell.handle(input) } else { shell.post(input) }
                    if errand & 63 == 1 {
                        time.seconds += 1
                        alarm.ring()
                    }
                }
                isOver.signal()
            }
        }
        for _ in 0..<drivers { try isOver.waitPatiently(orSay: "a thread waits for ever") }
        // What fails is posted once more: there are several rounds until nothing is left.
        var rounds = 0
        while performer.value.withLock({ $0.done }) != wanted, rounds < 1000 {
            rounds += 1
            time.seconds += 1
            alarm.ring()
            shell.settle()
        }
        shell.settle()
        box.value.withLock { $0 = nil }

        #expect(performer.value.withLock(\.problems) == [])
        #expect(performer.value.withLock(\.done) == wanted)
    }
}

extension SeededGenerator {
    /// The first number of a seed.
    fileprivate static func number(_ seed: UInt64) -> UInt64 {
        var generator = SeededGenerator(seed: seed)
        return generator.next()
    }
}
