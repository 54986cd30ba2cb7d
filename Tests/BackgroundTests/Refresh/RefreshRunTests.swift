import Testing
import UndersongBackground

/// The 30 seconds of a wake, and how they end.
struct RefreshRunTests {
    @Test func `A handler that never completes is warned at 25 s and ended at 30 s`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))
        let begin = stage.now.boot

        stage.pass(24.9)
        #expect(stage.expired.isEmpty)
        stage.pass(0.2)
        #expect(stage.expired.map(\.identifier) == ["refresh"])
        stage.pass(4.8)
        #expect(stage.ends.isEmpty)
        stage.pass(0.2)

        #expect(stage.ends.map(\.result) == [.overran])
        #expect(stage.ends.first?.identifier == "refresh")
        #expect(abs((stage.ends.first?.seconds ?? 0) - 30) < 0.1)
        #expect(stage.now.boot - begin < 30.2)
        stage.pass(1000)
        #expect(stage.expired.count == 1)
    }

    @Test func `A handler is warned before it is ended, however late the alarm is`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(500, alarms: false)

        let effects = stage.send(.timePassed)

        let kinds = effects.compactMap { effect -> String? in
            switch effect {
            case .expire: "expire"
            case .ended: "ended"
            default: nil
            }
        }
        #expect(kinds == ["expire", "ended"])
    }

    @Test func `A refresh's 30 seconds do not depend on the date`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))

        stage.setClock(by: 400 * 86400)
        #expect(stage.scheduler.tasks.count == 1)
        stage.setClock(by: -800 * 86400)
        stage.pass(31)

        #expect(stage.ends.map(\.result) == [.overran])
    }

    @Test func `Two overlapping fetches are completed in reverse, once each`() throws {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.run("fetch", .fetch, .simulate))
        stage.pass(1)
        stage.send(.run("fetch", .fetch, .simulate))
        let numbers = stage.launches.map(\.task.number)
        try #require(numbers.count == 2)

        let second = stage.send(.completed(numbers[1], RefreshCompletion(.newData, new: 2)))
        let first = stage.send(.completed(numbers[0], RefreshCompletion(.failed)))
        let again = stage.send(.completed(numbers[1], RefreshCompletion(.noData)))

        #expect(stage.ends.map(\.number) == [numbers[1], numbers[0]])
        #expect(stage.ends.map(\.result) == [.newData, .failed])
        #expect(stage.ends.map(\.new) == [2, 0])
        #expect(second.contains { if case .ended = $0 { true } else { false } })
        #expect(first.contains { if case .ended = $0 { true } else { false } })
        #expect(again == [.ignored(numbers[1])])
    }

    @Test func `A run is kept before it is launched, and its end before it is reported`() {
        var stage = RefreshStage()
        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(3)

        let order = stage.effects.compactMap { effect -> String? in
            switch effect {
            case .keep(.request): "request"
            case .keep(.noRequest): "no request"
            case .keep(.run(let run)): "run \(run.result?.rawValue ?? "began")"
            case .launch: "launch"
            case .ended: "ended"
            default: nil
            }
        }

        #expect(
            order == [
                "request", "no request", "run began", "launch", "run noData", "ended",
            ])
    }

    @Test func `A simulated launch runs the pending request at once, whatever its date`() {
        var stage = RefreshStage()
        let request = RefreshRequest("refresh", earliestBeginDate: stage.now.wall + 100_000)
        stage.send(.submit(request))

        stage.send(.run("refresh", .refresh, .simulate))

        #expect(stage.launches.map(\.task.cause) == [.simulate])
        #expect(stage.launches.first?.task.request?.identifier == "refresh")
        #expect(stage.scheduler.requests.isEmpty)
    }

    @Test func `A simulated expiration warns, and leaves five seconds`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(1)

        stage.send(.expire(stage.launches.first?.task.number ?? 0))
        #expect(stage.expired.count == 1)
        stage.pass(4.9)
        #expect(stage.ends.isEmpty)
        stage.pass(0.2)

        #expect(stage.ends.map(\.result) == [.overran])
    }

    @Test func `A handler that goes away has failed`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))

        stage.send(.handlerLost("refresh"))

        #expect(stage.ends.map(\.result) == [.failed])
        #expect(stage.scheduler.tasks.isEmpty)
    }

    @Test func `A refresh ends when its mode is taken away`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(1)

        stage.change { $0.capabilities.backgroundModes = [] }

        #expect(stage.expired.count == 1)
        stage.pass(6)
        #expect(stage.ends.map(\.result) == [.overran])
    }

    @Test func `What a killed service was running is neither lost sight of nor done twice`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))
        var memory = RefreshScheduler.Memory()
        memory.boot = "boot"
        memory.runs = stage.effects.compactMap { effect in
            if case .keep(.run(let run)) = effect { run } else { nil }
        }
        memory.requests = stage.scheduler.requests
        let number = stage.launches.first?.task.number ?? 0

        var next = RefreshStage()
        next.now = stage.now
        let effects = next.send(.restored(memory))
        next.pass(86400)

        let interrupted = effects.contains { effect in
            guard case .keep(.run(let run)) = effect else { return false }
            return run.number == number && run.result == .interrupted
        }
        #expect(interrupted)
        #expect(next.launches.isEmpty)
        next.send(.run("refresh", .refresh, .command))
        #expect(next.launches.first?.task.number == number + 1)
    }
}

extension RefreshStage {
    /// The tasks whose handlers were warned.
    var expired: [RefreshTask] {
        effects.compactMap { if case .expire(let task) = $0 { task } else { nil } }
    }
}
