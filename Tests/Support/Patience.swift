package import Dispatch
package import UndersongBase

/// The seconds that a test waits for anything: far longer than anything takes on the slowest
/// machine.
package let patience = 60.0

/// Something awaited did not happen: the test fails, and the others run.
package struct Overdue: Error, CustomStringConvertible {
    package let description: String

    /// Describes what did not happen.
    package init(_ description: String) { self.description = description }
}

extension DispatchSemaphore {
    /// Waits up to `patience`.
    ///
    /// - Throws: `Overdue`.
    package func waitPatiently(
        orSay reason: @autoclosure () -> String = "what is awaited does not come"
    ) throws(Overdue) {
        guard wait(timeout: .now() + patience) == .success else { throw Overdue(reason()) }
    }
}

extension Semaphore {
    /// Waits up to `patience`.
    ///
    /// - Throws: `Overdue`.
    package func waitPatiently(orSay reason: @autoclosure () -> String) throws(Overdue) {
        let deadline = SystemClock().now + Int64(patience * 1e9)
        guard wait(until: deadline) else { throw Overdue(reason()) }
    }
}

/// Polls until `condition` holds, every hundredth of a second, for changes that nothing reports, for
/// so many seconds.
///
/// - Throws: `Overdue`, and those of `condition`.
package func waitUntil(within seconds: Double = patience, _ condition: () throws -> Bool) throws {
    let clock = SystemClock()
    let deadline = clock.now + Int64(seconds * 1e9)
    while try !condition() {
        guard clock.now < deadline else { throw Overdue("what is awaited does not happen") }
        clock.sleep(until: clock.now + 10_000_000)
    }
}

/// Waits like `waitUntil`, without blocking a thread.
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
