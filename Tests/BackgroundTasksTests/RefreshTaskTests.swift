import BackgroundTasks
import Synchronization
import TestSupport
import Testing
import UIKit

@MainActor @Suite struct `A refresh task` {
    private let stage = Stage()
    private var log: Stage.Log { stage.log }

    /// The handler of the tutorials: refresh, complete, and only then the next request (N1).
    private func registerRefresher(delay: Double = 60) {
        let (log, scheduler, date) = (stage.log, stage.scheduler, stage.time.alarm)
        stage.register { task in
            log.add("refresh occurred")
            task.setTaskCompleted(success: true)
            let request = BGAppRefreshTaskRequest(identifier: Stage.refresh)
            request.earliestBeginDate = Date(timeIntervalSince1970: date.now.wall + delay)
            do {
                try scheduler.submit(request)
                log.add("background refresh scheduled")
            } catch {
                log.add("Couldn't schedule app refresh \(error)")
            }
        }
    }

    @Test(.rule("T63", "K3", "N3"))
    func `A refresh runs at once by the debugger's hook, with its lines in order`() async throws {
        stage.showMessages()
        registerRefresher()
        try stage.submit(after: 60)
        stage.application.host.launch(into: .background)
        log.clear()

        stage.scheduler._simulateLaunchForTaskWithIdentifier(Stage.refresh)
        await stage.time.advance(by: 1)

        #expect(
            log.lines == [
                "(task org.example.refresh begins (simulate))", "refresh occurred",
                "(task org.example.refresh ended: done after 0.0 s)",
                "(a request for task org.example.refresh is scheduled)",
                "background refresh scheduled", "suspended",
            ])
    }

    @Test(.rule("N1"))
    func `A refresh requests its next run after it is completed, in 1000 rounds`() async throws {
        registerRefresher()
        try stage.submit()
        let (log, scheduler) = (stage.log, stage.scheduler)
        let lost = Mutex(0)
        stage.application.host.onSuspension {
            log.add("suspended")
            scheduler.getPendingTaskRequests { requests in
                lost.withLock { $0 += requests.count == 1 ? 0 : 1 }
            }
        }
        stage.application.host.launch(into: .background)
        var count: Int { log.lines.count { $0 == "suspended" } }

        while count < 1000, await stage.time.advanceToNext() {}

        let rounds = log.lines.dropFirst()
        #expect(rounds.count == 3000)
        let expected = ["refresh occurred", "background refresh scheduled", "suspended"]
        #expect(rounds.enumerated().allSatisfy { $1 == expected[$0 % 3] })
        #expect(await stage.pending() == [Stage.refresh])
        #expect(lost.withLock(\.self) == 0)
    }

    @Test(.rule("N2")) func `A refresh is requested at the end of launching, and runs after it`()
        async throws
    {
        registerRefresher()
        let stage = stage
        stage.delegate.onLaunch = {
            stage.log.add("submits")
            try? stage.submit()
        }

        stage.application.host.launch(into: .background)
        await stage.time.advance(by: 1)

        #expect(
            log.lines == [
                "launched background", "submits", "refresh occurred",
                "background refresh scheduled", "suspended",
            ])
    }

    @Test(.rule("A11"))
    func `A refresh wakes an application that is suspended, which never becomes active`()
        async throws
    {
        registerRefresher(delay: 100_000)
        try stage.submit(after: 60)
        stage.application.host.launch(into: .background)
        #expect(log.lines == ["launched background", "suspended"])

        await stage.time.advance(by: 59)
        #expect(log.lines.count == 2)
        await stage.time.advance(by: 2)

        #expect(
            log.lines.dropFirst(2) == [
                "refresh occurred", "background refresh scheduled", "suspended",
            ])
    }

    @Test(.rule("T62")) func `A refresh never begins before its earliestBeginDate`() async throws {
        registerRefresher(delay: 100_000)
        try stage.submit(after: 3600)
        stage.application.host.launch()
        stage.application.host.enter(.background)

        await stage.time.advance(by: 3599.9)
        let before = log.lines
        await stage.time.advance(by: 0.2)

        #expect(!before.contains("refresh occurred"))
        #expect(log.lines.contains("refresh occurred"))
    }

    @Test(.rule("G8")) func `A refresh runs once for each request`() async throws {
        let log = log
        stage.register { task in
            log.add("refresh occurred")
            task.setTaskCompleted(success: false)
        }
        try stage.submit()
        stage.application.host.launch(into: .background)

        await stage.time.advance(by: 10 * 86400)

        #expect(log.lines.count { $0 == "refresh occurred" } == 1)
        #expect(await stage.pending() == [])
    }

    @Test(.rule("N15")) func `One refresh is pending among several identifiers`() async throws {
        let stage = Stage(identifiers: ["a", "b"])
        let log = stage.log
        for identifier in ["a", "b"] {
            stage.register(identifier) { task in
                log.add(task.identifier)
                task.setTaskCompleted(success: true)
            }
        }
        try stage.submit("a")
        stage.application.host.launch(into: .background)
        await stage.time.advance(by: 1)
        try stage.submit("b")
        await stage.time.advance(by: 86400)

        #expect(log.lines.filter { $0.count == 1 } == ["a", "b"])
    }

    @Test func `A handler without a queue is called on one of the scheduler's`() async throws {
        let (calls, call) = AsyncStream.makeStream(of: Bool.self)
        let isRegistered = stage.scheduler.register(
            forTaskWithIdentifier: Stage.refresh, using: nil
        ) { task in
            call.yield(task is BGAppRefreshTask)
            task.setTaskCompleted(success: true)
        }
        #expect(isRegistered)
        try stage.submit()

        stage.application.host.launch(into: .background)

        var kinds = calls.makeAsyncIterator()
        #expect(await kinds.next() == true)
    }

    @Test(.rule("N1"), .timeLimit(.minutes(5)))
    func `A refresh keeps the application running until its handler has returned`() async throws {
        let (log, scheduler) = (log, stage.scheduler)
        let (completions, completion) = AsyncStream.makeStream(of: Void.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        let isRegistered = scheduler.register(
            forTaskWithIdentifier: Stage.refresh, using: nil
        ) { task in
            task.setTaskCompleted(success: true)
            completion.yield()
            mayGoOn.wait()
            try? scheduler.submit(BGAppRefreshTaskRequest(identifier: Stage.refresh))
            log.add("submitted")
        }
        #expect(isRegistered)
        try stage.submit()
        stage.application.host.launch(into: .background)
        for await _ in completions { break }

        await stage.time.advance(by: 10)
        let before = log.lines
        mayGoOn.signal()
        while log.lines.last != "suspended" { await stage.time.advance(by: 0.1) }

        #expect(before == ["launched background"])
        #expect(log.lines == ["launched background", "submitted", "suspended"])
    }

    // MARK: Its time

    @Test(.rule("G7"))
    func `A refresh is warned after 25 s and ended after 30 s, by name, if it does not end`()
        async throws
    {
        let (log, alarm, start) = (log, stage.time.alarm, stage.time.now)
        let kept = Mutex<BGTask?>(nil)
        stage.register { task in
            kept.withLock { $0 = task }
            task.expirationHandler = { log.add("expires at \(alarm.now.boot - start)") }
        }
        stage.application.host.onOverstay { names in
            log.add("\(names.joined()) ended at \(alarm.now.boot - start)")
        }
        try stage.submit()
        stage.application.host.launch(into: .background)

        await stage.time.advance(by: 20)
        #expect(stage.application.backgroundTimeRemaining == 10)
        await stage.time.advance(by: 60)

        #expect(
            log.lines == [
                "launched background", "expires at 25.0", "org.example.refresh ended at 30.0",
                "suspended",
            ])
        let found = kept.withLock { $0 }
        let task = try #require(found)
        #expect(task.expirationHandler == nil)
    }

    @Test(.rule("G7"))
    func `A refresh without an expiration handler fails at expiration, and is not warned`()
        async throws
    {
        stage.showMessages()
        stage.register { _ in }
        try stage.submit()
        stage.application.host.launch(into: .background)
        log.clear()

        await stage.time.advance(by: 24)
        let before = log.lines
        await stage.time.advance(by: 60)

        #expect(before == [])
        #expect(
            log.lines == [
                "(task org.example.refresh expires)",
                "(task org.example.refresh ended: failed after 25.0 s)", "suspended",
            ])
    }

    @Test(.rule("T63", "T64"))
    func `A refresh may complete in its expiration handler, and is not ended then`() async throws {
        let log = log
        stage.register { task in
            task.expirationHandler = {
                log.add("stops")
                task.setTaskCompleted(success: false)
            }
        }
        try stage.submit()
        stage.application.host.launch(into: .background)

        await stage.time.advance(by: 60)

        #expect(log.lines == ["launched background", "stops", "suspended"])
    }

    @Test(.rule("T64")) func `A refresh expires by the debugger's hook, and has five seconds then`()
        async throws
    {
        let (log, alarm, start) = (log, stage.time.alarm, stage.time.now)
        stage.register { task in
            task.expirationHandler = { log.add("expires at \(alarm.now.boot - start)") }
        }
        try stage.submit()
        stage.application.host.launch(into: .background)
        await stage.time.advance(by: 3)

        stage.scheduler._simulateExpirationForTaskWithIdentifier(Stage.refresh)
        await stage.time.advance(by: 4.9)
        #expect(log.lines == ["launched background", "expires at 3.0"])
        await stage.time.advance(by: 1)

        #expect(log.lines.dropFirst(2) == ["overstay org.example.refresh", "suspended"])
    }

    @Test(.rule("F12")) func `A refresh is completed once, and any other completion is reported`()
        async throws
    {
        stage.showMessages()
        let kept = Mutex<BGTask?>(nil)
        stage.register { task in kept.withLock { $0 = task } }
        try stage.submit()
        stage.application.host.launch(into: .background)
        await stage.time.advance(by: 1)
        let found = kept.withLock { $0 }
        let task = try #require(found)
        task.expirationHandler = {}
        log.clear()

        task.setTaskCompleted(success: true)
        #expect(task.expirationHandler == nil)
        task.setTaskCompleted(success: false)

        #expect(
            log.lines == [
                "(task org.example.refresh ended: done after 1.0 s)",
                "(task org.example.refresh is over already: its completion was ignored)",
            ])
    }

    @Test(.rule("E11"))
    func `A refresh gives tasks of the application that it wakes a time of their own`()
        async throws
    {
        let (log, application) = (log, stage.application)
        stage.register { task in
            task.setTaskCompleted(success: true)
            _ = application.beginBackgroundTask(withName: "import") { log.add("import expires") }
        }
        try stage.submit(after: 60)
        application.host.launch(into: .background)
        log.clear()

        await stage.time.advance(by: 84)
        let before = log.lines
        await stage.time.advance(by: 30)

        #expect(before == [])
        #expect(log.lines == ["import expires", "overstay import"])
    }

    @Test(.rule("F11", "K4"))
    func `A refresh is followed by a snapshot, as is the way to the background`()
        async throws
    {
        let log = log
        stage.application.host.onSnapshot { log.add("snapshot") }
        registerRefresher(delay: 100_000)
        try stage.submit(after: 60)
        stage.application.host.launch()

        stage.application.host.enter(.background)
        await stage.time.advance(by: 61)

        #expect(
            log.lines == [
                "launched inactive", "active", "background", "snapshot", "suspended",
                "refresh occurred", "snapshot", "background refresh scheduled", "suspended",
            ])
    }
}
