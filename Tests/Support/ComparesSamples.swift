internal import Synchronization
package import Testing

/// Marks a test that compares every sample that a sound server has played, and tries it once more
/// where it has failed.
///
/// A sound server that other programs keep from its processor loses or repeats some samples now and
/// then, whatever plays on it. It is not for tests of durability, order or logic, which nothing but
/// Undersong can fail. What went wrong at the first attempt is a known issue, and `scripts/test` lists
/// it.
package struct ComparesSamples: TestTrait, TestScoping {
    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let hasFailed = Mutex(false)
        try await withKnownIssue("tried again", isIntermittent: true) {
            try await function()
        } matching: { _ in
            hasFailed.withLock { $0 = true }
            return true
        }
        if hasFailed.withLock({ $0 }) { try await function() }
    }
}

extension Trait where Self == ComparesSamples {
    /// The test compares recorded samples.
    package static var comparesSamples: Self { ComparesSamples() }
}
