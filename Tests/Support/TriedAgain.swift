internal import Foundation
import Synchronization
package import Testing

/// Tries a test again, twice at most, that has failed.
///
/// It is for tests that take their time from the machine, such as those that compare every sample that
/// a sound server has played: one that is kept from its processor by other programs loses or repeats
/// some now and then, whatever plays on it. What went wrong before the last try is shown as a known
/// issue, and in the last one only what did on a machine that stood still meanwhile.
package struct TriedAgain: SuiteTrait, TestTrait, TestScoping {
    private static let tries = 3
    /// A sound server that wakes up so late has played a gap.
    private static let longStandstill: Duration = .milliseconds(15)

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
        let watch = StandstillWatch()
        defer { watch.stop() }
        try await withKnownIssue("while the machine stood still", isIntermittent: true) {
            try await function()
        } matching: { _ in
            watch.longest > Self.longStandstill
        }
    }
}

/// Sees for how long the machine gave a thread that wants to run every other millisecond no time.
private final class StandstillWatch: Sendable {
    private static let period: Duration = .milliseconds(2)
    private let state = Mutex((longest: Duration.zero, isStopped: false))

    init() {
        Thread.detachNewThread { [self] in
            let clock = ContinuousClock()
            while !state.withLock(\.isStopped) {
                let start = clock.now
                Thread.sleep(forTimeInterval: Self.period / .seconds(1))
                let late = clock.now - start - Self.period
                state.withLock { $0.longest = max($0.longest, late) }
            }
        }
    }

    /// By how much it came too late at most.
    var longest: Duration { state.withLock(\.longest) }

    func stop() { state.withLock { $0.isStopped = true } }
}

extension Trait where Self == TriedAgain {
    package static var triedAgain: Self { TriedAgain() }
}
