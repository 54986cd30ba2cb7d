import Synchronization
import TestSupport
import Testing
import UndersongBase

/// An actor with a shell, as the service is one. The first step of some errands fails.
private actor Stage {
    nonisolated let executor = QueueExecutor()
    nonisolated let time = TestTime()
    nonisolated let alarm = TestAlarm()
    private(set) var log: [String] = []
    private var failing: Set<Int>
    private lazy var shell = makeShell()

    init(failing: Set<Int> = []) { self.failing = failing }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private func makeShell() -> Shell<Errands> {
        Shell(
            Errands(), in: self, on: executor, now: { [time] in time.seconds },
            alarm: { [alarm] in alarm.make() }, perform: { [unowned self] in await perform($0) })
    }

    var machine: Errands { shell.machine }

    /// Handles inputs without a pause between them, then notes that in the log.
    func handle(_ inputs: Errands.Input...) {
        for input in inputs { shell.handle(input) }
        log.append("handled")
    }

    func settle(_ input: Errands.Input) async {
        await shell.settle(input)
        log.append("settled")
    }

    func settle() async { await shell.settle() }
    func update(_ input: Errands.Input) {
        shell.update { [time] in _ = $0.handle(input, at: time.seconds) }
    }
    func stop() { shell.stop() }

    private func perform(_ effects: [Errands.Effect]) async {
        let name = effects.map { "\($0.errand)" }.joined(separator: "+")
        log.append("begin \(name)")
        // Whatever else is ready to run does so meanwhile.
        for _ in 0..<10 { await Task.yield() }
        for effect in effects where failing.remove(effect.errand) != nil {
            shell.handle(.failed(effect.errand))
        }
        log.append("end \(name)")
    }
}

/// An actor whose shell gets random inputs, and whose effects fail at random.
private actor RandomStage {
    nonisolated let executor = QueueExecutor()
    private let time = TestTime()
    private let alarm = TestAlarm()
    private var random: SeededGenerator
    private var performer: Performer
    private var wanted: [Int] = []
    private var waiting = 0
    private lazy var shell = makeShell()

    init(errands: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        performer = Performer(errands: errands, seed: seed ^ 1)
        wanted.reserveCapacity(errands)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private func makeShell() -> Shell<Errands> {
        Shell(
            Errands(), in: self, on: executor, now: { [time] in time.seconds },
            alarm: { [alarm] in alarm.make() }, perform: { [unowned self] in await perform($0) })
    }

    /// Wants `count` errands, and returns what went wrong when all are done.
    func run(_ count: Int) async -> [String] {
        for errand in 0..<count {
            let number = random.next()
            let steps = Int(number >> 8) & 3
            wanted.append(steps)
            let input = Errands.Input.wanted(errand, steps: steps)
            switch number & 63 {
            case 0:
                await shell.settle(input)
                if steps > 0, !performer.hasBegun(errand) {
                    performer.note("settling \(errand) returned too early")
                }
            case 1:
                waitAside()
                shell.handle(input)
            case 2:
                await Task.yield()
                shell.handle(input)
            case 3:
                time.seconds += 0.5
                if let due = alarm.due, due <= time.seconds { shell.handle(.timePassed) }
                shell.handle(input)
            default: shell.handle(input)
            }
        }
        await shell.settle()
        while let due = alarm.due {
            time.seconds = due
            await shell.settle(.timePassed)
        }
        while waiting > 0 { await Task.yield() }
        if wanted != performer.done { performer.note("some steps are lost, or were doubled") }
        return performer.problems
    }

    private func waitAside() {
        waiting += 1
        Task(executorPreference: executor) { await self.settle() }
    }

    private func settle() async {
        await shell.settle()
        waiting -= 1
    }

    private func perform(_ effects: [Errands.Effect]) async {
        for effect in effects {
            if !performer.perform(effect) { shell.handle(.failed(effect.errand)) }
            if random.next() & 31 == 0 { await Task.yield() }
        }
    }
}

@Suite struct `A shell in an actor` {
    @Test func `A shell performs the effects of an input together, in the order of inputs`() async {
        let stage = Stage()

        await stage.handle(.wanted(1, steps: 2), .wanted(2, steps: 0), .wanted(3, steps: 1))
        await stage.settle()

        #expect(await stage.log == ["handled", "begin 1+1", "end 1+1", "begin 3", "end 3"])
    }

    @Test func `A shell performs the effects of an effect's failure after earlier ones`() async {
        let stage = Stage(failing: [1, 2])

        // The first failure is repeated later, the second one at once.
        await stage.handle(.wanted(1, steps: 1), .wanted(2, steps: 1), .wanted(3, steps: 1))
        await stage.settle()

        #expect(
            await stage.log == [
                "handled", "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3", "begin 2",
                "end 2",
            ])
    }

    @Test func `A shell settles an input when its effects, and all before, are performed`() async {
        let stage = Stage()

        await stage.handle(.wanted(1, steps: 1))
        await stage.settle(.wanted(2, steps: 1))
        await stage.handle(.wanted(3, steps: 1))
        await stage.settle(.wanted(4, steps: 0))

        #expect(
            await stage.log == [
                "handled", "begin 1", "end 1", "begin 2", "end 2", "settled", "handled", "begin 3",
                "end 3", "settled",
            ])
    }

    @Test func `A shell settles at once while it has nothing to perform`() async throws {
        let stage = Stage()
        let isSettled = Mutex(false)

        Task {
            await stage.settle(.wanted(1, steps: 0))
            await stage.settle()
            isSettled.withLock { $0 = true }
        }

        try await eventually { isSettled.withLock(\.self) }
    }

    @Test func `A shell makes its alarm when it is wanted first, and sets it to what is due`()
        async
    {
        let stage = Stage(failing: [1])
        let alarm = stage.alarm

        await stage.settle(.wanted(0, steps: 1))
        #expect(alarm.made == 0)
        await stage.settle(.wanted(1, steps: 1))
        await stage.settle()
        #expect(alarm.settings == [1])
        stage.time.seconds = 1
        await stage.settle(.timePassed)
        #expect(alarm.settings == [1, nil])
        await stage.settle(.wanted(2, steps: 0))

        #expect(alarm.made == 1 && alarm.settings == [1, nil])
        #expect(await stage.log.suffix(4) == ["begin 1", "end 1", "settled", "settled"])
    }

    @Test func `A shell sets its alarm when its machine is changed without an input`() async {
        let stage = Stage()

        await stage.update(.failed(1))

        #expect(stage.alarm.settings == [1])
    }

    @Test func `A stopped shell still handles inputs, but sets no alarm`() async {
        let stage = Stage(failing: [1])
        await stage.update(.failed(0))

        await stage.stop()
        await stage.settle(.wanted(2, steps: 1))
        await stage.update(.failed(0))

        #expect(stage.alarm.settings == [1] && stage.alarm.stops == 1)
        #expect(await stage.log == ["begin 2", "end 2", "settled"])
    }

    @Test func `A shell loses and reorders nothing, and keeps nobody waiting, whatever fails`()
        async throws
    {
        let stage = RandomStage(errands: 400_000, seed: 47)
        let problems = Mutex<[String]?>(nil)

        Task(executorPreference: stage.executor) {
            let found = await stage.run(400_000)
            problems.withLock { $0 = found }
        }

        try await eventually { problems.withLock { $0 != nil } }
        #expect(problems.withLock(\.self) == [])
    }
}
