/// Decides what `undersong demo fibonacci` does, event by event: an application that begins a
/// finite-length task with its work, so that the work continues for a while in the background
/// (E7, E9, E12, E13, E15-E17).
struct FibonacciDemo {
    /// What has to be done.
    enum Action: Equatable {
        /// Ask for a task; the answer is `began`.
        case beginTask
        /// End this task.
        case endTask(Int)
        /// Start the timer.
        case startTimer
        /// Stop it.
        case stopTimer
        /// Write a line.
        case write(String)
        /// Ask for the time that remains in the background, and write it.
        case writeTimeRemaining
    }

    /// Seconds between two numbers (E12).
    static let interval = 0.5

    private var numbers = Fibonacci()
    private var state: HostState
    /// The user wants the work to be done.
    private var isPlaying = false
    private var task: Int?
    /// A task is asked for.
    private var isBeginning = false

    /// Starts in `state`, without work.
    init(state: HostState) { self.state = state }

    /// Play: begins the work from the start, and a task with it (E15).
    mutating func play() -> [Action] {
        guard !isPlaying else { return [] }
        numbers = Fibonacci()
        isPlaying = true
        return [.startTimer] + beginTask()
    }

    /// Stop: ends both (E15).
    mutating func stop() -> [Action] {
        guard isPlaying else { return [] }
        isPlaying = false
        return [.stopTimer] + endTask()
    }

    /// The timer has fired (E15, E16).
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

    /// The task that was asked for has begun; nil: there is no time for it.
    mutating func began(_ task: Int?) -> [Action] {
        isBeginning = false
        guard let task else { return suspendIfNeeded() }
        self.task = task
        return isPlaying ? [] : endTask()
    }

    /// The system calls the task's expiration handler, which ends the task (E13); without another
    /// one the application is suspended then, and its timer stops (E7).
    mutating func expire(_ task: Int) -> [Action] {
        guard task == self.task else { return [] }
        return [.write("iOS has signaled time has expired")] + endTask() + suspendIfNeeded()
    }

    /// The application has another state. Back in the foreground its timer fires again (E7), and a
    /// task that has expired begins again (E9).
    mutating func enter(_ next: HostState) -> [Action] {
        let wasSuspended = isSuspended
        state = next
        if isSuspended != wasSuspended, isPlaying {
            return isSuspended ? [.stopTimer] : [.startTimer] + beginTaskIfActive()
        }
        return beginTaskIfActive()
    }

    /// `Background time remaining = 12.3 seconds`; nothing where the time has no end.
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

    /// Ends the task if there is one, once (E13).
    private mutating func endTask() -> [Action] {
        guard let ended = task else { return [] }
        task = nil
        return [.write("Background task ended."), .endTask(ended)]
    }

    private func suspendIfNeeded() -> [Action] { isSuspended && isPlaying ? [.stopTimer] : [] }
}
