internal import Synchronization
package import Testing

/// Marks a test that compares every sample played by a sound server, and repeats it once if it
/// fails.
///
/// A sound server that other programs keep from the processor loses or repeats some samples now and
/// then, whatever plays on it. Do not use this for tests of durability, order or logic, which only
/// Undersong can fail. The first attempt's failures are recorded as known issues, which
/// `scripts/test` lists.
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
    /// Marks a test that compares recorded samples.
    package static var comparesSamples: Self { ComparesSamples() }
}
