package import Dispatch
package import Threads

/// Seconds after which a test that waits for something gives up: far beyond what anything here takes
/// on the slowest machine.
package let patience = 60.0

/// What a test awaited and did not get: that test fails, and the others run.
package struct Overdue: Error, CustomStringConvertible {
    package let description: String

    /// Says what did not happen.
    package init(_ description: String) { self.description = description }
}

extension DispatchSemaphore {
    /// Waits for as long as a test may. Errors: `Overdue`.
    package func waitPatiently(
        orSay reason: @autoclosure () -> String = "what is awaited does not come"
    ) throws(Overdue) {
        guard wait(timeout: .now() + patience) == .success else { throw Overdue(reason()) }
    }
}

extension Semaphore {
    /// Waits for as long as a test may. Errors: `Overdue`.
    package func waitPatiently(orSay reason: @autoclosure () -> String) throws(Overdue) {
        let deadline = SystemClock().now + Int64(patience * 1e9)
        guard wait(until: deadline) else { throw Overdue(reason()) }
    }
}

/// Waits until `condition` holds, which nothing reports: it is asked every hundredth of a second.
/// Errors: `Overdue`, and those of `condition`.
package func waitUntil(_ condition: () throws -> Bool) throws {
    let clock = SystemClock()
    let deadline = clock.now + Int64(patience * 1e9)
    while try !condition() {
        guard clock.now < deadline else { throw Overdue("what is awaited does not happen") }
        clock.sleep(until: clock.now + 10_000_000)
    }
}

/// Waits as `waitUntil` does, and keeps no thread.
package func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws {
    let clock = SystemClock()
    let deadline = clock.now + Int64(patience * 1e9)
    while try !condition() {
        guard clock.now < deadline else { throw Overdue("what is awaited does not happen") }
        try await Task.sleep(for: .milliseconds(10))
    }
}
