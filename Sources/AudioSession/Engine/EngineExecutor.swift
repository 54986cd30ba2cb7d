import Dispatch

/// Runs the engine on a queue of its own, so that work which blocks Swift's shared threads cannot
/// make a command late.
final class EngineExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "undersong.engine", qos: .userInteractive)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
