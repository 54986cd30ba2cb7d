import TestSupport
import Testing
import UndersongBackground
import UndersongBase

/// The limits by the user, the machine and the budget of a day, and the badge.
struct RefreshLimitTests {
    private static let day = RefreshStage.day

    // MARK: 200 MB a day

    /// A stage on which every fetch transfers `bytes`.
    private func stage(transferring bytes: Int) -> RefreshStage {
        var stage = RefreshStage()
        stage.answer = { _, _ in (RefreshCompletion(.noData, bytes: bytes), 2) }
        return stage
    }

    @Test(.rule("F8")) func `No more is fetched in a day than 200 MB, and then again`() throws {
        var stage = stage(transferring: 60_000_000)
        for _ in 0..<4 {
            stage.send(.submit(RefreshRequest("refresh")))
            stage.passToLaunch(within: Self.day)
            stage.pass(10)
        }
        #expect(stage.launches.count == 4)
        let first = stage.launches[0].at.boot

        stage.send(.submit(RefreshRequest("refresh")))
        let reasons = try #require(stage.scheduler.forecasts(at: stage.now).first).reasons
        #expect(reasons.contains(.dataBudget))
        stage.passToLaunch(within: 2 * Self.day)

        let fifth = try #require(stage.launches.last)
        #expect(stage.launches.count == 5)
        #expect(fifth.at.boot >= first + Self.day)
        #expect(fifth.at.boot < first + Self.day + 13 * 3600)
    }

    @Test(.rule("F8")) func `The user may fetch more than that, and so may a host in front`() {
        var stage = stage(transferring: 300_000_000)
        stage.send(.run("fetch", .fetch, .command))
        stage.pass(10)
        stage.send(.run("fetch", .fetch, .command))
        stage.pass(10)
        #expect(stage.ends.count == 2)

        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(1000)
        #expect(stage.ends.count == 2)
        stage.change { $0.host = .active }

        #expect(stage.launches.count == 3)
    }

    @Test func `What was transferred counts in the next service too`() throws {
        var stage = stage(transferring: 200_000_000)
        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(10)
        var memory = RefreshScheduler.Memory()
        memory.boot = "boot"
        memory.runs = stage.ends
        var next = RefreshScheduler(boot: "boot", seed: 1)
        _ = next.handle(.restored(memory), at: stage.now)
        _ = next.handle(.conditions(RefreshStage.conditions), at: stage.now)

        let effects = next.handle(.submit(RefreshRequest("other")), at: stage.now)

        #expect(!effects.contains { if case .launch = $0 { true } else { false } })
        let forecast = try #require(next.forecasts(at: stage.now).first)
        #expect(forecast.reasons == [.dataBudget])
        #expect(forecast.due.map { abs($0 - stage.now.wall - Self.day) < 60 } == true)
        #expect(
            forecast.obstacles.first?.text
                == "200 MB were transferred within a day; the next time is at 00:00")
    }

    // MARK: The user

    @Test func `What the user denies is kept, and refused by the next service`() {
        var stage = RefreshStage()
        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: stage.now.wall + 60)))
        let count = stage.effects.count

        stage.change { $0.availability = .denied }
        #expect(stage.effects.dropFirst(count).contains(.keep(.isDenied(true))))
        stage.pass(3 * Self.day)
        #expect(stage.launches.isEmpty)

        var memory = RefreshScheduler.Memory()
        memory.isDenied = true
        var next = RefreshScheduler(boot: "boot", seed: 1)
        _ = next.handle(.restored(memory), at: stage.now)
        #expect(next.conditions.availability == .denied)
        #expect(next.refusal(of: RefreshRequest("refresh"), at: stage.now)?.code == .unavailable)

        stage.change { $0.availability = .available }
        #expect(stage.effects.contains(.keep(.isDenied(false))))
        #expect(stage.launches.count == 1)
    }

    // MARK: The machine

    @Test func `No refresh begins before the machine was asked`() {
        var stage = RefreshStage()
        stage.change { $0.isSettling = true }
        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(3600)
        #expect(stage.launches.isEmpty)

        stage.change { conditions in
            conditions.isSettling = false
            conditions.machine.power = PowerState(isOnBattery: true, charge: 10)
        }
        #expect(stage.launches.isEmpty)
        stage.change { $0.machine.power = .external }

        #expect(stage.launches.count == 1)
    }

    @Test func `A service that does not answer is named, that of idleness only for processing`() {
        var conditions = RefreshStage.conditions
        conditions.machine.fallbacks = [.power, .network]

        #expect(conditions.fallbacks(forProcessing: false) == [.network, .power])
        #expect(conditions.fallbacks(forProcessing: true) == [.network, .power, .login])
        conditions.isIdle = true
        #expect(conditions.fallbacks(forProcessing: true) == [.network, .power])
        let words = MachineFallback.allCases.map { $0.words(.external) }
        #expect(
            words == [
                "NetworkManager does not answer: a network is found by trying, and treated as "
                    + "unmetered",
                "UPower does not answer, and the kernel lists no battery: the machine is treated as "
                    + "on external power",
                "power-profiles-daemon does not answer: the machine is treated as not saving power",
                "logind does not say whether the session is idle: the machine is in use while "
                    + "clients are connected, music plays or the processors are busy",
            ])
        #expect(
            MachineFallback.power.words(PowerState(charge: 50))
                == "UPower does not answer: the charge is read from the kernel")
    }

    // MARK: The badge

    @Test(.rule("F15"))
    func `The badge adds up what is new until the host is opened, and outlives the service`() {
        var stage = RefreshStage()
        stage.answer = { task, _ in (RefreshCompletion(.newData, new: task.number + 1), 2) }
        for identifier in ["night1", "refresh", "other"] {
            let kind: RefreshKind = identifier == "night1" ? .processing : .refresh
            stage.send(.run(identifier, kind, .simulate))
            stage.pass(5)
        }
        // Processing brings nothing that the user would look at.
        #expect(badges(stage) == [3, 7])
        #expect(stage.effects.contains(.keep(.badge(7))))

        var memory = RefreshScheduler.Memory()
        memory.badge = 7
        var next = RefreshScheduler(boot: "boot", seed: 1)
        _ = next.handle(.restored(memory), at: stage.now)
        #expect(next.badge == 7)
        var conditions = RefreshStage.conditions
        conditions.host = .active
        let effects = next.handle(.conditions(conditions), at: stage.now)

        #expect(next.badge == 0)
        #expect(effects.suffix(2) == [.keep(.badge(0)), .badge(0)])
    }

    private func badges(_ stage: RefreshStage) -> [Int] {
        stage.effects.compactMap { if case .badge(let count) = $0 { count } else { nil } }
    }
}
