import Foundation
import Testing

/// Waits until `condition` holds, which nothing reports.
func waitUntil(_ condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try !condition() {
        try #require(ContinuousClock.now < deadline)
        usleep(10_000)
    }
}
