import Testing
import UndersongBackground

struct ProcessingTests {
    private static let day = RefreshStage.day

    /// A stage on which nothing was ever opened, and the request to process.
    private func stage(
        _ request: RefreshRequest, _ change: (inout RefreshConditions) -> Void = { _ in }
    ) -> RefreshStage {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.change(change)
        stage.send(.submit(request))
        return stage
    }

    @Test func `A task that requires external power never begins on a battery`() {
        var stage = stage(RefreshRequest("night1", kind: .processing, requiresExternalPower: true))
        {
            $0.machine.power = PowerState(isOnBattery: true, charge: 90)
        }

        stage.pass(3 * Self.day)

        #expect(stage.launches.isEmpty)
        #expect(stage.rings == 0)
        #expect(stage.scheduler.forecasts(at: stage.now).first?.reasons == [.onBattery])
    }

    @Test func `Unplugging expires processing at once and ends it within five seconds`() {
        var stage = stage(RefreshRequest("night1", kind: .processing, requiresExternalPower: true))
        stage.pass(60)
        #expect(stage.launches.count == 1)

        stage.change { $0.machine.power = PowerState(isOnBattery: true, charge: 90) }

        #expect(stage.expired.count == 1)
        stage.pass(5.1)
        #expect(stage.ends.map(\.result) == [.overran])
    }

    @Test(arguments: [NetworkState.Connectivity.none, .portal, .limited])
    func `A portal and a limited network are no connection`(network: NetworkState.Connectivity) {
        var stage = stage(
            RefreshRequest("night1", kind: .processing, requiresNetworkConnectivity: true)
        ) { $0.machine.network.connectivity = network }
        stage.pass(Self.day)
        #expect(stage.launches.isEmpty)

        stage.change { $0.machine.network.connectivity = .full }

        #expect(stage.launches.count == 1)
    }

    @Test func `Processing runs where nobody knows of network, idleness and load`() {
        var stage = stage(
            RefreshRequest("night1", kind: .processing, requiresNetworkConnectivity: true)
        ) { $0.machine.network = .unknown }

        stage.pass(RefreshScheduler.steadiness + 1)

        #expect(stage.launches.count == 1)
    }

    @Test func `The user's return expires processing at once, and a refresh beside it continues`() {
        var stage = stage(RefreshRequest("night1", kind: .processing))
        stage.pass(20)
        stage.send(.submit(RefreshRequest("refresh")))
        #expect(stage.scheduler.tasks.count == 2)

        stage.change { $0.host = .active }

        #expect(stage.expired.map(\.identifier) == ["night1"])
        stage.pass(5.1)
        #expect(stage.scheduler.tasks.map(\.identifier) == ["refresh"])
    }

    @Test func `Processing waits while something plays or the login session is in use`() {
        for change in [
            { @Sendable (conditions: inout RefreshConditions) in conditions.isPlaying = true },
            { @Sendable (conditions: inout RefreshConditions) in conditions.isIdle = false },
        ] {
            var stage = stage(RefreshRequest("night1", kind: .processing), change)
            stage.pass(Self.day)
            #expect(stage.launches.isEmpty)
            #expect(stage.scheduler.forecasts(at: stage.now).first?.reasons == [.inUse])

            stage.change {
                $0.isPlaying = false
                $0.isIdle = true
            }
            stage.pass(RefreshScheduler.steadiness + 1)

            #expect(stage.launches.count == 1)
        }
    }

    @Test func `Power that flickers five times a second begins no processing`() {
        var stage = stage(RefreshRequest("night1", kind: .processing, requiresExternalPower: true))
        {
            $0.machine.power = PowerState(isOnBattery: true, charge: 90)
        }
        for flicker in 0..<1000 {
            stage.change { $0.machine.power.isOnBattery = flicker.isMultiple(of: 2) }
            stage.pass(0.2)
        }
        #expect(stage.launches.isEmpty)

        stage.change { $0.machine.power.isOnBattery = false }
        stage.pass(RefreshScheduler.steadiness + 0.1)

        #expect(stage.launches.count == 1)
    }

    @Test func `Processing checks a busy machine once a minute until it is not`() {
        var stage = stage(RefreshRequest("night1", kind: .processing)) { $0.load = 0.5 }

        stage.pass(3600)
        #expect(stage.launches.isEmpty)
        #expect((59...61).contains(stage.rings))
        stage.change { $0.load = 0.49 }
        stage.pass(0)

        #expect(stage.launches.count == 1)
    }

    @Test func `One task processes at a time`() {
        var stage = stage(RefreshRequest("night1", kind: .processing))
        stage.send(.submit(RefreshRequest("night2", kind: .processing)))
        stage.pass(60)
        #expect(stage.launches.map(\.task.identifier) == ["night1"])

        stage.send(.completed(stage.launches[0].task.number, RefreshCompletion(.done)))

        #expect(stage.launches.map(\.task.identifier) == ["night1", "night2"])
    }

    @Test func `Processing runs within two days where the host was used in the past week`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in (RefreshCompletion(.done), 60) }
        // Every day from 8 to 20 o'clock, all of it.
        for _ in 0..<14 {
            stage.pass(8 * 3600)
            for _ in 0..<24 { stage.open(for: 1800) }
            stage.pass(4 * 3600)
        }
        stage.pass(9 * 3600)
        stage.send(.submit(RefreshRequest("night1", kind: .processing)))
        #expect(stage.scheduler.isPromised(at: stage.now))
        let submitted = stage.now.boot

        for _ in 0..<2 {
            for _ in 0..<22 { stage.open(for: 1800) }
            stage.pass(13 * 3600)
        }

        let begin = stage.launches.first { $0.task.kind == .processing }?.at.boot
        #expect((begin ?? .infinity) - submitted < 2 * Self.day)
        #expect(stage.launches.count == 1)
    }

    @Test func `Processing is not promised where the host was not used for eight days`() {
        var stage = RefreshStage()
        stage.open()
        #expect(stage.scheduler.isPromised(at: stage.now))
        stage.pass(7 * Self.day)
        stage.send(.timePassed)
        #expect(stage.scheduler.isPromised(at: stage.now))

        stage.pass(Self.day)

        #expect(!stage.scheduler.isPromised(at: stage.now))
    }

    @Test func `A capability that is removed expires processing at once, and none begins without`()
    {
        var stage = stage(RefreshRequest("night1", kind: .processing))
        stage.pass(60)
        #expect(stage.launches.count == 1)
        stage.send(.submit(RefreshRequest("night2", kind: .processing)))

        stage.change { $0.capabilities.backgroundModes = [.fetch] }

        #expect(stage.expired.count == 1)
        stage.pass(Self.day)
        #expect(stage.launches.count == 1)
    }
}
