import Glibc
import Synchronization
import Testing
import UndersongBase

@testable import UndersongAudioSession

@Suite struct `The reports of the sound path` {
    private let queue = ReportQueue<Int>()

    @Test func `A report of the sound path is taken by the engine after it was published`() {
        let log = Mutex<[String]>([])
        let isTaking = Semaphore()
        let hasTaken = Semaphore()
        startThread(named: "engine") { [queue] in
            isTaking.wait()
            let reports = queue.popAll()
            log.withLock { $0.append("taken \(reports)") }
            hasTaken.post()
        }

        queue.put(1) {
            isTaking.post()
            // Time for the engine to take it before it was published.
            for _ in 0..<10_000 where log.withLock(\.isEmpty) { sched_yield() }
            log.withLock { $0.append("published") }
        }
        hasTaken.wait()

        #expect(log.withLock(\.self) == ["published", "taken [1]"])
    }
}
