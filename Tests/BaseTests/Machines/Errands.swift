import Dispatch
import Synchronization
import UndersongBase

/// A machine for tests: an errand has some steps, and a step that fails is repeated, at once or a second
/// later.
struct Errands: Machine {
    enum Input: MachineInput {
        /// An errand with this number is wanted.
        case wanted(Int, steps: Int)
        /// A step of this errand has failed.
        case failed(Int)
        case timePassed
    }

    /// A step to perform.
    struct Effect: Hashable, Sendable {
        var errand: Int
        /// Its number among all effects, from 1.
        var number: Int
    }

    /// The number of effects so far.
    private(set) var count = 0
    private(set) var inputCount = 0
    private var failureCount = 0
    /// The steps to repeat later, earliest first.
    private var late: [(errand: Int, time: Double)] = []

    mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        inputCount += 1
        switch input {
        case .wanted(let errand, let steps): return (0..<steps).map { _ in step(of: errand) }
        case .failed(let errand):
            failureCount += 1
            if failureCount.isMultiple(of: 2) { return [step(of: errand)] }
            late.append((errand, now + 1))
            return []
        case .timePassed:
            let due = late.prefix { $0.time <= now }
            late.removeFirst(due.count)
            return due.map { step(of: $0.errand) }
        }
    }

    func nextDue(at now: Double) -> Due { Due(boot: late.first?.time) }

    private mutating func step(of errand: Int) -> Effect {
        count += 1
        return Effect(errand: errand, number: count)
    }
}

/// A time that is set by hand.
final class TestTime: Sendable {
    private let value = Mutex(0.0)

    var seconds: Double {
        get { value.withLock(\.self) }
        set { value.withLock { $0 = newValue } }
    }
}

/// An alarm that rings when a test says so, and remembers what it was set to.
final class TestAlarm: Alarm {
    private struct State {
        var made = 0
        var settings: [Double?] = []
        var stops = 0
        var ring: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The number of times that it was wanted.
    var made: Int { state.withLock(\.made) }
    /// The times it was set to, last one last.
    var settings: [Double?] { state.withLock(\.settings) }
    var due: Double? { state.withLock { $0.settings.last ?? nil } }
    var stops: Int { state.withLock(\.stops) }

    func make(_ ring: (@Sendable () -> Void)? = nil) -> any Alarm {
        state.withLock { state in
            state.made += 1
            state.ring = ring
        }
        return self
    }

    func ring() { state.withLock(\.ring)?() }
    func set(boot: Double?, wall: Double?) { state.withLock { $0.settings.append(boot) } }
    func stop() { state.withLock { $0.stops += 1 } }
}

/// Performs steps, of which one in four fails, and checks that nothing is lost and the order is kept.
struct Performer {
    private var random: SeededGenerator
    private let drivers: Int
    /// The number of the next effect.
    private var next = 1
    /// The last errand of each driver that was begun. Errand n belongs to driver n % drivers.
    private var latest: [Int]
    private var isBegun: [Bool]
    /// The number of steps of each errand that have succeeded.
    private(set) var done: [Int]
    private(set) var problems: [String] = []

    init(errands: Int, drivers: Int = 1, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        self.drivers = drivers
        latest = Array(repeating: -1, count: drivers)
        isBegun = Array(repeating: false, count: errands)
        done = Array(repeating: 0, count: errands)
    }

    func hasBegun(_ errand: Int) -> Bool { isBegun[errand] }

    /// Returns false if the step has failed.
    mutating func perform(_ effect: Errands.Effect) -> Bool {
        if effect.number != next { note("effect \(effect.number) came in place of \(next)") }
        next = effect.number + 1
        let errand = effect.errand
        if !isBegun[errand] {
            if errand < latest[errand % drivers] { note("errand \(errand) came too late") }
            latest[errand % drivers] = errand
            isBegun[errand] = true
        }
        if random.next() & 3 == 0 { return false }
        done[errand] += 1
        return true
    }

    mutating func note(_ problem: String) {
        if problems.count < 10 { problems.append(problem) }
    }
}
