import UndersongBackground

/// Decides what `undersong demo fibonacci` does, event by event: an application that begins a
/// finite-length task with its work, so that the work continues for a while in the background (E7,
/// E9, E12, E13, E15-E17).
struct FibonacciDemo {
    /// An action to perform.
    enum Action: Equatable {
        /// Request a task; `began` receives the answer.
        case beginTask
        /// End this task.
        case endTask(Int)
        /// Start the timer.
        case startTimer
        /// Stop the timer.
        case stopTimer
        /// Write a line.
        case write(String)
        /// Request the time that remains in the background, and write it.
        case writeTimeRemaining
    }

    /// Seconds between two numbers (E12).
    static let interval = 0.5

    private var numbers = Fibonacci()
    private var state: ApplicationState
    /// True if the user has started the work.
    private var isPlaying = false
    private var task: Int?
    /// True if a task has been requested.
    private var isBeginning = false

    /// Makes a demo in `state`, with no work started.
    init(state: ApplicationState) { self.state = state }

    /// Starts the work from the first number, and begins a task (E15).
    mutating func play() -> [Action] {
        guard !isPlaying else { return [] }
        numbers = Fibonacci()
        isPlaying = true
        return [.startTimer] + beginTask()
    }

    /// Stops the work and ends the task (E15).
    mutating func stop() -> [Action] {
        guard isPlaying else { return [] }
        isPlaying = false
        return [.stopTimer] + endTask()
    }

    /// Handles a tick of the timer (E15, E16).
    mutating func tick() -> [Action] {
        guard isPlaying else { return [] }
        numbers.tick()
        switch state {
        case .active: return [.write(numbers.message)]
        case .background:
            return [
                .write("App is backgrounded. Next number = \(numbers.message)"),
                .writeTimeRemaining,
            ]
        case .inactive: return []
        }
    }

    /// Handles the answer to a requested task; nil if no time is left for one.
    mutating func began(_ task: Int?) -> [Action] {
        isBeginning = false
        guard let task else { return suspendIfNeeded() }
        self.task = task
        return isPlaying ? [] : endTask()
    }

    /// Handles the expiration of a task, which ends it (E13). Without another task the application
    /// is then suspended, and its timer stops (E7).
    mutating func expire(_ task: Int) -> [Action] {
        guard task == self.task else { return [] }
        return [.write("iOS has signaled time has expired")] + endTask() + suspendIfNeeded()
    }

    /// Handles a change of the application's state. Back in the foreground the timer fires again
    /// (E7), and an expired task is begun again (E9).
    mutating func enter(_ next: ApplicationState) -> [Action] {
        let wasSuspended = isSuspended
        state = next
        if isSuspended != wasSuspended, isPlaying {
            return isSuspended ? [.stopTimer] : [.startTimer] + beginTaskIfActive()
        }
        return beginTaskIfActive()
    }

    /// `Background time remaining = 12.3 seconds`; nil if the time is unlimited.
    static func timeRemaining(_ seconds: Double?) -> String? {
        guard let seconds else { return nil }
        let tenths = Int((min(max(seconds, 0), 1e9) * 10).rounded())
        return "Background time remaining = \(tenths / 10).\(tenths % 10) seconds"
    }

    /// Without a task nothing runs in the background (A3).
    private var isSuspended: Bool { state == .background && task == nil && !isBeginning }

    private mutating func beginTaskIfActive() -> [Action] {
        state == .active && isPlaying ? beginTask() : []
    }

    private mutating func beginTask() -> [Action] {
        guard task == nil, !isBeginning else { return [] }
        isBeginning = true
        return [.beginTask]
    }

    /// Ends the task, if there is one, and only once (E13).
    private mutating func endTask() -> [Action] {
        guard let ended = task else { return [] }
        task = nil
        return [.write("Background task ended."), .endTask(ended)]
    }

    private func suspendIfNeeded() -> [Action] { isSuspended && isPlaying ? [.stopTimer] : [] }
}

/// The work of `undersong demo fibonacci`: one number after the other, each the sum of the two
/// before it, starting over when they get too large (E15, E17).
struct Fibonacci: Equatable {
    private var previous = Number()
    private var current = Number()
    private var position = 1

    /// Advances to the next number.
    mutating func tick() {
        guard let next = previous + current else {
            self = Fibonacci()
            return
        }
        (previous, current) = (current, next)
        position += 1
    }

    /// `Position 4 = 5`
    var message: String { "Position \(position) = \(current)" }
}

/// A number below 10 to the 40th, in two halves of 20 digits each. A library for large numbers
/// would bring all of Foundation into a program that has to start fast.
private struct Number: Equatable, CustomStringConvertible {
    private static let half: UInt128 = 100_000_000_000_000_000_000

    private var high: UInt128 = 0
    private var low: UInt128 = 1

    /// The sum; nil if it is too large.
    static func + (one: Number, other: Number) -> Number? {
        let (carry, low) = (one.low + other.low).quotientAndRemainder(dividingBy: half)
        var sum = Number()
        (sum.high, sum.low) = (one.high + other.high + carry, low)
        return sum.high < half ? sum : nil
    }

    var description: String {
        guard high > 0 else { return "\(low)" }
        let digits = "\(low)"
        return "\(high)" + String(repeating: "0", count: 20 - digits.count) + digits
    }
}
