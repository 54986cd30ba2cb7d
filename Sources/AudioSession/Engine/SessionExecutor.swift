import Dispatch

/// Runs the engine on a queue of its own, so that work which blocks Swift's shared threads cannot
/// make a command late. Tasks may prefer it too: nothing wakes then while nothing happens, whereas
/// Swift's shared threads on Linux are watched by a timer that goes off every second.
final class SessionExecutor: SerialExecutor, TaskExecutor {
    private let queue = DispatchQueue(label: "undersong.session", qos: .userInteractive)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            unsafe job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}
