import TestSupport
import Testing
import UndersongBackground
import UndersongBase

/// The cost of a task's runs, and its consequences (F19).
@Suite struct `The processor time of a task` {
    /// A stage with a fetch every quarter of an hour at most, each of which costs these seconds.
    private func stage(
        costing times: [Double], isOnBattery: Bool = false
    ) -> RefreshStage {
        var stage = RefreshStage()
        if isOnBattery {
            stage.change { $0.machine.power = PowerState(isOnBattery: true, charge: 90) }
        }
        var rest = times[...]
        stage.answer = { task, _ in
            var completion = RefreshCompletion(.noData)
            if task.identifier == "fetch" { completion.processorTime = rest.popFirst() }
            return (completion, 2)
        }
        for _ in times {
            stage.send(.run("fetch", .fetch, .command))
            stage.pass(3)
        }
        stage.send(.setInterval(.minimum))
        return stage
    }

    /// The seconds that have passed since the last fetch began.
    private func pass(_ seconds: Double, afterLastFetchOf stage: inout RefreshStage) {
        let last = stage.launches.last { $0.task.identifier == "fetch" }
        stage.pass((last?.at.boot ?? 0) + seconds - stage.now.boot)
    }

    private func fetches(_ stage: RefreshStage) -> Int {
        stage.launches.count { $0.task.identifier == "fetch" }
    }

    @Test(
        .rule("F19"),
        arguments: [
            ([8.0], false, 900.0), ([30], false, 3000), ([8], true, 2400), ([30], true, 9000),
            ([1, 1, 1, 30, 30], true, 900), ([1, 30, 30, 1, 30], true, 9000),
        ])
    func `A fetch joins no wake before its runs have a share of a processor that is permitted`(
        times: [Double], isOnBattery: Bool, pause: Double
    ) {
        var stage = stage(costing: times, isOnBattery: isOnBattery)

        pass(pause - 1, afterLastFetchOf: &stage)
        stage.send(.submit(RefreshRequest("other")))
        let before = fetches(stage)
        pass(pause + 1, afterLastFetchOf: &stage)
        stage.send(.submit(RefreshRequest("refresh")))

        #expect(before == times.count)
        #expect(fetches(stage) == times.count + 1)
        #expect(stage.launches.count == times.count + 3)
    }

    @Test(.rule("F19")) func `A fetch that costs much says so, and when it is due`() throws {
        let stage = stage(costing: [30])

        let forecast = try #require(stage.scheduler.forecasts(at: stage.now).first)

        #expect(forecast.reasons.contains(.costly))
        #expect(
            forecast.obstacles.contains {
                $0.text == "a run takes 30 s of processor time; the next one is at 00:50"
            })
        #expect(try #require(forecast.due) >= RefreshStage.monday + 3000)
    }

    @Test(.rule("F19")) func `What a task costs counts in the next service, for 12 hours at most`()
        throws
    {
        let memory = stage(costing: [1_000_000]).scheduler.memory
        var next = RefreshStage()

        next.send(.restored(memory))
        let reasons = next.scheduler.forecasts(at: next.now).first?.reasons
        next.pass(43_100)
        let before = fetches(next)
        next.pass(200)

        #expect(reasons?.contains(.costly) == true)
        #expect(before == 0)
        #expect(fetches(next) == 1)
    }

    @Test(.rule("F19")) func `A run lists its time so far at its end, however it ends`() throws {
        let environment = RefreshEnvironment(
            now: { ScheduleTime(boot: 0, wall: 0) }, alarm: { _ in NoAlarm() }, seed: 1)
        var host = RefreshHost(environment, stage: .running)
        var moment = RefreshHost.Moment(ScheduleTime(boot: 1000, wall: RefreshStage.monday))
        for identifier in ["a", "b", "c"] {
            _ = host.handle(
                .scheduler(.run(identifier, .refresh, .command)), at: moment)
        }

        moment.time.boot += 10
        moment.processorTimes = [1: 2.5, 2: 0.25]
        _ = host.handle(.scheduler(.completed(1, RefreshCompletion(.done))), at: moment)
        moment.time.boot += 30
        moment.processorTimes = [2: 28]
        _ = host.handle(.timePassed, at: moment)

        let runs = host.scheduler.runs
        #expect(runs.map(\.processorTime) == [2.5, 28, nil])
        #expect(runs.map(\.result) == [.done, .overran, .overran])
    }

    private final class NoAlarm: Alarm {
        func set(boot: Double?, wall: Double?) {}
        func stop() {}
    }
}
