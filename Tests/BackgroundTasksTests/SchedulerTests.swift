import BackgroundTasks
import Synchronization
import TestSupport
import Testing
import UIKit

@MainActor @Suite struct `The task scheduler` {
    private typealias Code = BGTaskScheduler.Error.Code

    /// The code of the error with which a request ends; nil if it is accepted.
    private func code(_ stage: Stage, _ request: BGTaskRequest) -> Code? {
        do {
            try stage.scheduler.submit(request)
            return nil
        } catch {
            return (error as? BGTaskScheduler.Error)?.code
        }
    }

    @Test(.rule("T60"))
    func `BGTaskScheduler does not register an identifier that is not permitted`() {
        let stage = Stage(identifiers: ["a"])

        let results = ["a", "b"].map {
            stage.scheduler.register(forTaskWithIdentifier: $0, using: nil) { _ in }
        }

        #expect(results == [true, false])
    }

    @Test(.rule("T60")) func `BGTaskScheduler ends the program that registers an identifier twice`()
        async
    {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let stage = Stage()
                stage.register { _ in }
                stage.register { _ in }
            }
        }
    }

    @Test(.rule("T60")) func `BGTaskScheduler ends the program that registers after its launch`()
        async
    {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let stage = Stage()
                stage.application.host.launch()
                stage.register { _ in }
            }
        }
    }

    @Test(.rule("K3"))
    func `BGTaskScheduler ends the program that simulates a task without a handler`() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let stage = Stage()
                try? stage.submit()
                stage.application.host.launch()
                stage.scheduler._simulateLaunchForTaskWithIdentifier(Stage.refresh)
            }
        }
    }

    @Test(.rule("T61")) func `BGTaskScheduler accepts one refresh`() async {
        let stage = Stage(identifiers: ["a", "b"])

        let codes = ["a", "b", "a"].map { code(stage, BGAppRefreshTaskRequest(identifier: $0)) }

        #expect(codes == [nil, .tooManyPendingTaskRequests, nil])
        #expect(await stage.pending() == ["a"])
    }

    @Test(.rule("T61"))
    func `BGTaskScheduler accepts ten processing tasks, and replaces one of them`() async {
        let identifiers = (0...10).map { "task \($0)" }
        let stage = Stage(identifiers: Set(identifiers))

        let codes = (identifiers + ["task 3"]).map {
            code(stage, BGProcessingTaskRequest(identifier: $0))
        }

        #expect(
            codes == Array(repeating: nil, count: 10) + [.tooManyPendingTaskRequests, nil])
        #expect(
            await stage.pending() == identifiers.prefix(10).filter { $0 != "task 3" } + ["task 3"])
    }

    @Test func `BGTaskScheduler accepts only what is declared and the user has not switched off`() {
        let refresh = BGAppRefreshTaskRequest(identifier: "a")
        let processing = BGProcessingTaskRequest(identifier: "a")
        let undeclared = Stage(modes: [.processing], identifiers: ["a"])
        let unpermitted = Stage(identifiers: ["b"])
        let denied = Stage(identifiers: ["a"])
        denied.application.host.setBackgroundRefreshStatus(.denied)

        #expect(code(undeclared, refresh) == .notPermitted)
        #expect(code(undeclared, processing) == nil)
        #expect(code(unpermitted, refresh) == .notPermitted)
        #expect(code(denied, refresh) == .unavailable)
        #expect(code(denied, processing) == .unavailable)
    }

    @Test func `BGTaskScheduler throws errors with Apple's domain and numbers, and the reason`()
        throws
    {
        let stage = Stage(identifiers: [])
        let codes: [Code] = [
            .unavailable, .tooManyPendingTaskRequests, .notPermitted, .immediateRunIneligible,
        ]
        #expect(codes.map(\.rawValue) == [1, 2, 3, 4])

        let error = try #require(throws: BGTaskScheduler.Error.self) { try stage.submit() }

        #expect(
            "\(error)"
                == "cannot submit org.example.refresh: the identifier org.example.refresh is not permitted"
        )
        #expect(error.localizedDescription == "\(error)")
        let object = error as NSError
        #expect(object.domain == "BGTaskSchedulerErrorDomain")
        #expect(object.code == 3)
        do {
            try stage.submit()
        } catch BGTaskScheduler.Error.unavailable {
            Issue.record("The code is another one")
        } catch BGTaskScheduler.Error.notPermitted {}
    }

    @Test func `BGTaskScheduler submits with a completion handler and asynchronously, too`()
        async throws
    {
        let stage = Stage(identifiers: ["a"])
        let scheduler = stage.scheduler
        let errors = AsyncStream<Code?> { stream in
            for identifier in ["a", "b"] {
                scheduler.submitTaskRequest(BGAppRefreshTaskRequest(identifier: identifier)) {
                    stream.yield(($0 as? BGTaskScheduler.Error)?.code)
                    if identifier == "b" { stream.finish() }
                }
            }
        }

        var codes: [Code?] = []
        for await code in errors { codes.append(code) }
        try await scheduler.submitTaskRequest(BGProcessingTaskRequest(identifier: "a"))
        await #expect(throws: BGTaskScheduler.Error.self) {
            try await scheduler.submitTaskRequest(BGProcessingTaskRequest(identifier: "b"))
        }

        #expect(codes == [nil, .notPermitted])
        #expect(await scheduler.pendingTaskRequests().first is BGProcessingTaskRequest)
    }

    @Test func `BGTaskScheduler has copies of what is pending, and cancels one or all`()
        async throws
    {
        let stage = Stage(identifiers: ["a", "b", "c"])
        let request = BGProcessingTaskRequest(identifier: "a")
        request.requiresExternalPower = true
        request.earliestBeginDate = stage.time.date + 60
        try stage.scheduler.submit(request)
        request.requiresNetworkConnectivity = true
        for identifier in ["b", "c"] {
            try stage.scheduler.submit(BGProcessingTaskRequest(identifier: identifier))
        }

        let pending = await stage.scheduler.pendingTaskRequests()
        let first = try #require(pending.first as? BGProcessingTaskRequest)
        first.requiresExternalPower = false
        let again = await stage.scheduler.pendingTaskRequests().first as? BGProcessingTaskRequest
        stage.scheduler.cancel(taskRequestWithIdentifier: "b")
        stage.scheduler.cancel(taskRequestWithIdentifier: "unknown")
        let rest = await stage.pending()
        stage.scheduler.cancelAllTaskRequests()

        #expect(pending.map(\.identifier) == ["a", "b", "c"])
        #expect(first.earliestBeginDate == stage.time.date + 60)
        #expect(again?.requiresExternalPower == true)
        #expect(again?.requiresNetworkConnectivity == false)
        let copy = again?.copy() as? BGProcessingTaskRequest
        #expect(copy?.requiresExternalPower == true)
        #expect(rest == ["a", "c"])
        #expect(await stage.pending() == [])
    }

    @Test(.rule("K3")) func `BGTaskScheduler reports a simulation of what is not there`() {
        let stage = Stage()
        stage.showMessages()
        stage.application.host.launch(into: .background)
        stage.log.clear()

        stage.scheduler._simulateLaunchForTaskWithIdentifier("a")
        stage.scheduler._simulateExpirationForTaskWithIdentifier("b")

        #expect(
            stage.log.lines == [
                "(no request for a task with identifier a is pending)",
                "(no task with identifier b is running)",
            ])
    }

    @Test(.rule("G9"))
    func `BGTaskScheduler runs processing for minutes, and ends it when the user comes`()
        async throws
    {
        let stage = Stage()
        let (log, alarm, start) = (stage.log, stage.time.alarm, stage.time.now)
        stage.register { task in
            log.add("\(task is BGProcessingTask) at \(alarm.now.boot - start)")
            task.expirationHandler = {
                log.add("expires at \(alarm.now.boot - start)")
                task.setTaskCompleted(success: false)
            }
        }
        let request = BGProcessingTaskRequest(identifier: Stage.refresh)
        request.earliestBeginDate = stage.time.date + 60
        try stage.scheduler.submit(request)
        stage.application.host.launch(into: .background)

        await stage.time.advance(by: 600)
        #expect(stage.application.backgroundTimeRemaining == 1260)
        stage.application.host.enter(.active)
        await stage.time.advance(by: 1)

        #expect(
            log.lines == [
                "launched background", "suspended", "true at 60.0", "active", "expires at 600.0",
            ])
    }
}
