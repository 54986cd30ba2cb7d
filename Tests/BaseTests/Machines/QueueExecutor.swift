import Dispatch

/// The executor of an actor and of its tasks.
final class QueueExecutor: SerialExecutor, TaskExecutor {
    private let queue = DispatchQueue(label: "machine tests")

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            unsafe job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}
