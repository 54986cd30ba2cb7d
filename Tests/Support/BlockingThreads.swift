internal import Foundation
package import Testing

/// Runs tests on threads of their own, so that they may block: Swift's pool has one thread for each
/// processor, which the player's own tasks need.
package struct BlockingThreads: SuiteTrait, TestTrait, TestScoping {
    /// Runs every job on a new thread.
    private final class Executor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Thread.detachNewThread {
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
        }
    }

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }
}

extension Trait where Self == BlockingThreads {
    /// Lets tests wait in real time, many at once.
    package static var blockingThreads: Self { Self() }
}
