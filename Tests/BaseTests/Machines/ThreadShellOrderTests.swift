import Testing
import UndersongBase

/// A shell on this thread. The first step of some errands fails.
private final class ThreadStage {
    let time = TestTime()
    let alarm = TestAlarm()
    private(set) var log: [String] = []
    private var failing: Set<Int>
    private let hasAlarm: Bool
    private(set) lazy var shell = ThreadShell(
        Errands(), now: { [time] in time.seconds },
        alarm: hasAlarm ? { [alarm] in alarm.make() } : nil,
        perform: { [unowned self] in perform($0) })

    init(failing: Set<Int> = [], hasAlarm: Bool = true) {
        self.failing = failing
        self.hasAlarm = hasAlarm
    }

    private func perform(_ effects: [Errands.Effect]) {
        let name = effects.map { "\($0.errand)" }.joined(separator: "+")
        log.append("begin \(name)")
        for effect in effects where failing.remove(effect.errand) != nil {
            shell.handle(.failed(effect.errand))
        }
        log.append("end \(name)")
    }
}

@Suite struct `The order of a shell on a thread` {
    @Test func `A thread's shell has performed the effects of an input when it returns`() {
        let stage = ThreadStage()

        stage.shell.handle(.wanted(1, steps: 2))
        #expect(stage.log == ["begin 1+1", "end 1+1"])
        stage.shell.handle(.wanted(2, steps: 0))
        stage.shell.handle(.wanted(3, steps: 1))

        #expect(stage.log == ["begin 1+1", "end 1+1", "begin 3", "end 3"])
    }

    @Test func `A thread's shell performs the effects of a failure after those before it`() {
        let stage = ThreadStage(failing: [1, 2])
        stage.shell.handle(.wanted(1, steps: 1))

        stage.shell.handle(.wanted(2, steps: 1))

        #expect(stage.log == ["begin 1", "end 1", "begin 2", "end 2", "begin 2", "end 2"])
        #expect(stage.shell.machine.inputCount == 4)
    }

    @Test func `A thread's shell sets its alarm to what is due, until it is stopped`() {
        let stage = ThreadStage(failing: [1])

        stage.shell.handle(.wanted(0, steps: 1))
        #expect(stage.alarm.made == 0)
        stage.shell.handle(.wanted(1, steps: 1))
        stage.time.seconds = 1
        stage.shell.handle(.timePassed)
        stage.shell.update { _ = $0.handle(.failed(2), at: 1) }
        stage.shell.update { _ = $0.handle(.failed(3), at: 1) }
        stage.shell.stop()
        stage.shell.handle(.failed(4))
        stage.shell.handle(.failed(5))

        #expect(stage.alarm.settings == [1, nil, 2])
        #expect(stage.alarm.stops == 1 && stage.alarm.made == 1)
        #expect(stage.log.suffix(2) == ["begin 4", "end 4"])
    }

    @Test func `A thread's shell without an alarm says what is due`() {
        let stage = ThreadStage(failing: [1], hasAlarm: false)

        #expect(stage.shell.nextDue == .never)
        stage.shell.handle(.wanted(1, steps: 1))

        #expect(stage.shell.nextDue == Due(boot: 1) && stage.alarm.made == 0)
    }

    @Test func `A thread's shell loses and reorders nothing, whatever fails`() {
        let count = 300_000
        let (time, alarm) = (TestTime(), TestAlarm())
        var random = SeededGenerator(seed: 48)
        var performer = Performer(errands: count, seed: 49)
        var shell: ThreadShell<Errands>!
        shell = ThreadShell(
            Errands(), now: { time.seconds }, alarm: { alarm.make() },
            perform: { effects in
                for effect in effects where !performer.perform(effect) {
                    shell.handle(.failed(effect.errand))
                }
            })

        var wanted: [Int] = []
        for errand in 0..<count {
            let number = random.next()
            wanted.append(Int(number >> 8) & 3)
            if number & 31 == 0 {
                time.seconds += 0.5
                if let due = alarm.due, due <= time.seconds { shell.handle(.timePassed) }
            }
            shell.handle(.wanted(errand, steps: wanted[errand]))
        }
        while let due = alarm.due {
            time.seconds = due
            shell.handle(.timePassed)
        }

        #expect(performer.problems == [])
        #expect(performer.done == wanted)
    }
}
