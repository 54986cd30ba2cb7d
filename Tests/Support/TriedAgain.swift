import Synchronization
package import Testing

/// Tries a test again, four times at most, that has failed.
///
/// It is for tests that take their time from the machine, such as those that compare every sample that
/// a sound server has played: one that is kept from its processor by other programs loses or repeats
/// some now and then, whatever plays on it. What went wrong before the last try is shown as a known
/// issue.
package struct TriedAgain: SuiteTrait, TestTrait, TestScoping {
    private static let tries = 5

    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        for _ in 1..<Self.tries {
            let hasFailed = Mutex(false)
            try await withKnownIssue("once", isIntermittent: true) {
                try await function()
            } matching: { _ in
                hasFailed.withLock { $0 = true }
                return true
            }
            guard hasFailed.withLock({ $0 }) else { return }
        }
        try await function()
    }
}

extension Trait where Self == TriedAgain {
    package static var triedAgain: Self { TriedAgain() }
}
