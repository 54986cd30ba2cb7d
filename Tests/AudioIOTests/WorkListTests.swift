import Synchronization
import TestSupport
import Testing
import UndersongBase

@testable import UndersongAudioIO

@Suite(.blockingThreads) struct `A work list` {
    @Test func `A list of work is done once, and in the order of each thread that posts it`() {
        let list = WorkList()
        let count = 2000
        let done = Mutex<[[Int]]>(Array(repeating: [], count: 3))
        for number in 0..<3 {
            startThread(named: "post") {
                for work in 0..<count {
                    list.post { done.withLock { $0[number].append(work) } }
                }
            }
        }

        while done.withLock({ $0.map(\.count).reduce(0, +) }) < 3 * count {
            Wakeup.wait(for: list.descriptor)
            list.perform()
        }

        #expect(done.withLock { $0 } == Array(repeating: Array(0..<count), count: 3))
    }

    @Test func `A list of work releases what was not done`() {
        final class Load: Sendable {}
        var list: WorkList? = WorkList()
        weak var load: Load?
        do {
            let new = Load()
            load = new
            for _ in 0..<3 { list?.post { _ = new } }
        }
        #expect(load != nil)

        list = nil

        #expect(load == nil)
    }
}
