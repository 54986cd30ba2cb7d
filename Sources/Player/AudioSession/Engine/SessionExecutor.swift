public import Dispatch

/// Runs the engine on a queue of its own, so that work that blocks Swift's shared threads cannot
/// delay a command. Tasks may prefer it too: then nothing wakes up while nothing happens, whereas
/// Swift's shared threads on Linux are watched by a timer that fires every second.
public final class SessionExecutor: SerialExecutor, TaskExecutor {
    /// The queue, which is serial, for timers and sources whose handlers belong to the session.
    public let queue: DispatchQueue

    init(label: String = "undersong.session", qos: DispatchQoS = .userInteractive) {
        queue = DispatchQueue(label: label, qos: qos)
    }

    /// Runs `work` on the queue, in the order of the calls, isolated like a job of the engine.
    func post(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Traps unless it is called on the queue.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs a job of an actor or a task.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            unsafe job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}
