import Synchronization
import TestSupport
import UndersongBase

@testable import UndersongAudioIO

/// Runs each body on a thread of its own and waits for all.
///
/// - Throws: `Overdue`.
func together(_ bodies: (@Sendable () -> Void)...) throws {
    let ended = Semaphore()
    for body in bodies {
        startThread(named: "test") {
            body()
            ended.post()
        }
    }
    for _ in bodies {
        try ended.waitPatiently(orSay: "a thread hangs")
    }
}

/// A number that several threads read and write.
final class Shared: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int {
        get { number.load(ordering: .sequentiallyConsistent) }
        set { number.store(newValue, ordering: .sequentiallyConsistent) }
    }

    func increase() { number.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
