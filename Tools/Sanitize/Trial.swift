import Foundation
import Synchronization

/// Counts on two threads, under a Mutex for which they contend or, with the argument `bare`, without
/// one: ThreadSanitizer has to report the second only.
final class Trial: @unchecked Sendable {
    private let count = Mutex(0)
    private var bareCount = 0

    func run(isBare: Bool) {
        let running = Atomic<Int>(0)
        let ended = DispatchGroup()
        for _ in 0..<2 {
            ended.enter()
            Thread.detachNewThread { [self] in
                running.add(1, ordering: .relaxed)
                while running.load(ordering: .relaxed) < 2 {}
                for _ in 0..<100_000 {
                    if isBare { bareCount += 1 } else { count.withLock { $0 += 1 } }
                }
                ended.leave()
            }
        }
        ended.wait()
    }
}

Trial().run(isBare: CommandLine.arguments.contains("bare"))
