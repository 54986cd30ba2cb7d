import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    @Suite struct `A service that is killed with background tasks` {
        /// RF10. `UNDERSONG_ROUNDS` sets how often it is killed.
        @Test func `A killed service has acknowledged tasks pending, and does nothing twice`()
            throws
        {
            let stage = try RefreshKillStage()

            let rounds = Dice.rounds(20)
            for round in 1...rounds {
                try stage.round(killedAfter: round % 8)
                try stage.check("kill \(round)")
            }

            #expect(stage.worked.count > rounds / 2)
        }
    }
}

/// Requests tasks of a service, runs and completes them, and kills the service at some moment.
private final class RefreshKillStage {
    private let folder: RuntimeFolder
    private let daemon: Daemon
    private let worker = Worker()
    private var dice = Dice()

    init() throws {
        folder = try RuntimeFolder()
        daemon = try Daemon(in: folder.path)
        let client = try daemon.client()
        _ = try client.call(DeclareMode(.fetch, on: true))
        _ = try client.call(PermitIdentifier(Worker.identifier, on: true))
    }

    var worked: [Int: Int] { worker.ledger.withLock(\.worked) }

    /// Works until the service is killed, which is soon after this many steps of the worker.
    func round(killedAfter steps: Int) throws {
        let launches = Launches()
        let done = DispatchSemaphore(value: 0)
        let client = try daemon.client { launches.take($0) }
        _ = try client.call(RegisterRefresh(Worker.identifier))
        let ended = DispatchGroup()
        ended.enter()
        Thread.detachNewThread { [worker] in
            while (try? worker.work(client, launches, { done.signal() })) != nil {}
            ended.leave()
        }
        for step in 0..<steps {
            try done.waitPatiently(orSay: "step \(step) is not done")
        }
        usleep(UInt32(dice.number(in: 0..<4_000)))
        daemon.end(by: SIGKILL)
        launches.end()
        client.close()
        ended.wait()
        try daemon.start()
    }

    /// Compares what the service has pending with what was seen of it.
    func check(_ kill: Comment) throws {
        let status = try daemon.client().call(GetRefreshStatus(limit: 1000))
        let pending = Set(
            status.pending.compactMap(\.request?.earliestBeginDate).map { Int($0) })
        let interrupted = status.runs.count { $0.result == .interrupted }
        worker.ledger.withLock { ledger in
            #expect(pending.count <= 1, kill)
            #expect(pending.isDisjoint(with: ledger.worked.keys), kill)
            #expect(ledger.worked.values.allSatisfy { $0 == 1 }, kill)
            let lost = ledger.acknowledged.subtracting(ledger.worked.keys).subtracting(pending)
            // What had begun is not done again, although nobody has seen it.
            #expect(lost.count <= interrupted, kill)
            ledger.pending = pending.first
        }
    }
}

/// The launches that have come.
private final class Launches: Sendable {
    private let tasks = Mutex<[Int]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func take(_ notice: ControlNoticeMessage) {
        guard notice.method == RefreshLaunch.method,
            let launch = try? notice.decode(RefreshLaunch.self)
        else { return }
        tasks.withLock { $0.append(launch.run.number) }
        arrived.signal()
    }

    /// No more come.
    func end() { arrived.signal() }

    /// The next one.
    ///
    /// - Throws: There is none any more.
    func next() throws -> Int {
        arrived.wait()
        return try tasks.withLock { tasks in
            guard !tasks.isEmpty else { throw Overdue("the service was killed") }
            return tasks.removeFirst()
        }
    }
}

/// Requests, runs and completes tasks, and remembers that.
private final class Worker: Sendable {
    static let identifier = "org.example.refresh"

    /// The known requests, each with a number that is its date, long ago.
    struct Ledger {
        var last = 0
        var acknowledged: Set<Int> = []
        /// The number of times that each was launched.
        var worked: [Int: Int] = [:]
        /// The request that is pending; nil if none is.
        var pending: Int?
    }

    let ledger = Mutex(Ledger())

    /// Submits a request if none is pending, has it launched, and completes it: four steps, each of
    /// which it reports.
    func work(
        _ client: ControlClient, _ launches: Launches, _ report: () -> Void
    ) throws {
        let number = try pending(client)
        report()
        // The first one has begun by itself.
        _ = try? client.call(SimulateRefresh(Self.identifier))
        report()
        let complete = CompleteRefresh(try launches.next(), RefreshCompletion(.noData))
        ledger.withLock { ledger in
            ledger.worked[number, default: 0] += 1
            ledger.pending = nil
        }
        report()
        _ = try client.call(complete)
        report()
    }

    private func pending(_ client: ControlClient) throws -> Int {
        if let pending = ledger.withLock(\.pending) { return pending }
        let number = ledger.withLock { ledger in
            ledger.last += 1
            return ledger.last
        }
        _ = try client.call(
            SubmitRefresh(RefreshRequest(Self.identifier, earliestBeginDate: Double(number))))
        ledger.withLock { ledger in
            ledger.acknowledged.insert(number)
            ledger.pending = number
        }
        return number
    }
}
