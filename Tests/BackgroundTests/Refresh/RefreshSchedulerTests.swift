import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

struct RefreshSchedulerTests {
    private static let day = RefreshStage.day

    // MARK: Fetch by interval

    @Test func `No feed is ever fetched by default`() {
        var stage = RefreshStage()

        for _ in 0..<30 {
            stage.open()
            stage.pass(Self.day)
        }

        #expect(stage.launches.isEmpty)
        #expect(stage.rings == 0)
    }

    @Test func `An interval without the mode has no effect and is not an error`() {
        var stage = RefreshStage()
        stage.change { $0.capabilities = Capabilities() }

        let effects = stage.send(.setInterval(.minimum))
        stage.pass(30 * Self.day)

        #expect(!effects.contains { if case .refused = $0 { true } else { false } })
        #expect(stage.launches.isEmpty)
        #expect(stage.rings == 0)
        let forecast = stage.scheduler.forecasts(at: stage.now)
        #expect(forecast.first?.reasons.contains(.notDeclared) == true)
        #expect(
            forecast.first?.obstacles.contains {
                $0.remedy == "undersong capability fetch on"
            } == true)
        #expect(forecast.first?.due == nil)
    }

    @Test func `A fetch by interval may need a permitted identifier too`() {
        var stage = RefreshStage(requiredIdentifier: RefreshStage.identifier)
        stage.change { $0.capabilities.permittedIdentifiers = [] }
        stage.send(.setInterval(.minimum))
        stage.pass(Self.day)
        #expect(stage.launches.isEmpty)

        stage.change { $0.capabilities.permittedIdentifiers = [RefreshStage.identifier] }

        #expect(stage.launches.map(\.task.identifier) == [RefreshStage.identifier])
    }

    @Test(arguments: [0.0, 1, 60, 899])
    func `No interval is shorter than a quarter of an hour`(seconds: Double) {
        #expect(FetchInterval.seconds(seconds).seconds == 900)
        #expect(FetchInterval.minimum.seconds == 900)
        #expect(FetchInterval.seconds(901).seconds == 901)
    }

    @Test func `Apple's constant for never is never`() {
        #expect(FetchInterval.seconds(.greatestFiniteMagnitude).seconds == nil)
        #expect(FetchInterval.never.seconds == nil)
    }

    @Test func `The first fetch comes at once, and the interval counts from its begin`() {
        var stage = RefreshStage()

        stage.send(.setInterval(.seconds(3600)))
        stage.pass(3599)

        #expect(stage.launches.count == 1)
        #expect(stage.launches.first?.task.cause == .schedule)
    }

    @Test func `Fetches end with the interval`() {
        var stage = RefreshStage()
        stage.send(.setInterval(.minimum))
        stage.pass(Self.day)
        let count = stage.launches.count

        stage.send(.setInterval(.never))
        stage.pass(30 * Self.day)

        #expect(count > 1)
        #expect(stage.launches.count == count)
    }

    @Test func `A fetch by hand delays the next one by the interval`() {
        var stage = RefreshStage()
        stage.send(.setInterval(.seconds(7200)))
        stage.pass(7100)

        stage.send(.run("fetch", .fetch, .command))
        let begins = stage.launches.map(\.at.boot)
        stage.pass(7199)

        #expect(begins.count == 2)
        #expect(stage.launches.count == 2)
    }

    // MARK: Requests

    @Test(.rule("G3")) func `A request never runs before its date`() {
        var stage = RefreshStage()

        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: stage.now.wall + 60)))
        stage.pass(59)
        #expect(stage.launches.isEmpty)
        stage.pass(2)

        #expect(stage.launches.map(\.task.identifier) == ["refresh"])
    }

    @Test func `One request is one run`() {
        var stage = RefreshStage()

        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(10 * Self.day)

        #expect(stage.launches.count == 1)
        #expect(stage.scheduler.requests.isEmpty)
    }

    @Test func `A request for the same identifier replaces the one that is pending`() {
        var stage = RefreshStage()
        let date = stage.now.wall
        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: date + 100)))

        let effects = stage.send(
            .submit(RefreshRequest("refresh", earliestBeginDate: date + 5000)))
        stage.pass(4000)

        #expect(!effects.contains { if case .refused = $0 { true } else { false } })
        #expect(stage.launches.isEmpty)
        #expect(stage.scheduler.requests.map(\.earliestBeginDate) == [date + 5000])
    }

    @Test func `A second refresh is one too many`() {
        var stage = RefreshStage()
        let date = stage.now.wall + 1000
        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: date)))

        let refusal = stage.refusal(RefreshRequest("other", earliestBeginDate: date))

        #expect(refusal?.code == .tooManyPendingTaskRequests)
        #expect(stage.scheduler.requests.map(\.identifier) == ["refresh"])
    }

    @Test func `An eleventh request to process is one too many, but a replacement is not`() {
        var stage = RefreshStage()
        let date = stage.now.wall + 1000
        for identifier in RefreshStage.processing.prefix(10) {
            let request = RefreshRequest(identifier, kind: .processing, earliestBeginDate: date)
            #expect(stage.refusal(request) == nil)
        }

        let replaced = stage.refusal(
            RefreshRequest("night3", kind: .processing, earliestBeginDate: date + 1))
        let eleventh = stage.refusal(
            RefreshRequest("night11", kind: .processing, earliestBeginDate: date))
        let refresh = stage.refusal(RefreshRequest("refresh", earliestBeginDate: date))

        #expect(replaced == nil)
        #expect(eleventh?.code == .tooManyPendingTaskRequests)
        #expect(refresh == nil)
        #expect(stage.scheduler.requests.count == 11)
    }

    @Test func `A request that is not declared or not permitted is refused with Apple's code 3`() {
        var stage = RefreshStage()
        #expect(stage.refusal(RefreshRequest("unheard"))?.code == .notPermitted)
        #expect(
            stage.refusal(RefreshRequest("unheard"))?.reason
                == "the identifier unheard is not permitted")

        stage.change { $0.capabilities.backgroundModes = [.processing] }

        #expect(stage.refusal(RefreshRequest("refresh"))?.code == .notPermitted)
        #expect(
            stage.refusal(RefreshRequest("refresh"))?.reason
                == "the background mode 'fetch' is not declared")
        #expect(stage.refusal(RefreshRequest("night1", kind: .processing)) == nil)
    }

    @Test(arguments: [RefreshAvailability.denied, .restricted])
    func `A request is unavailable where the user has switched refreshing off`(
        status: RefreshAvailability
    ) {
        var stage = RefreshStage()
        stage.change { $0.availability = status }

        #expect(stage.refusal(RefreshRequest("refresh"))?.code == .unavailable)
        #expect(stage.refusal(RefreshRequest("unheard"))?.code == .unavailable)
        let words =
            status == .denied ? "is switched off" : "is restricted, and cannot be switched on"
        #expect(stage.refusal(RefreshRequest("refresh"))?.reason == "background refresh \(words)")
        #expect(RefreshError.Code.immediateRunIneligible.rawValue == 4)
    }

    @Test(arguments: [RefreshAvailability.denied, .restricted])
    func `A request waits until refreshing is switched on, and says if that is possible`(
        status: RefreshAvailability
    ) throws {
        var stage = RefreshStage()
        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: stage.now.wall + 10)))
        stage.change { $0.availability = status }
        stage.pass(Self.day)

        let forecast = try #require(stage.scheduler.forecasts(at: stage.now).first)
        #expect(stage.launches.isEmpty)
        #expect(forecast.reasons == [status == .denied ? .denied : .restricted])
    }

    @Test func `A cancelled request does not run`() {
        var stage = RefreshStage()
        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: stage.now.wall + 10)))

        let effects = stage.send(.cancel("refresh"))
        stage.pass(Self.day)

        #expect(effects == [.keep(.noRequest("refresh"))])
        #expect(stage.launches.isEmpty)
    }

    @Test func `A request waits for somebody to register`() {
        var stage = RefreshStage()
        stage.change { $0.handlers = [] }
        stage.send(.submit(RefreshRequest("refresh")))
        stage.pass(Self.day)
        #expect(stage.launches.isEmpty)
        #expect(stage.rings == 0)

        stage.change { $0.handlers = ["refresh"] }

        #expect(stage.launches.count == 1)
    }

    @Test func `A thousand rounds that each request the next lose none`() {
        var stage = RefreshStage()
        stage.answer = { _, _ in nil }
        stage.send(.submit(RefreshRequest("refresh")))

        for round in 0..<1000 {
            #expect(stage.launches.count == round + 1)
            let number = stage.launches.last?.task.number ?? 0
            stage.pass(1)
            if round.isMultiple(of: 2) {
                // After the completion, as in the seed.
                stage.send(.completed(number, RefreshCompletion(.done)))
                stage.send(.submit(RefreshRequest("refresh")))
            } else {
                stage.send(.submit(RefreshRequest("refresh")))
                stage.send(.completed(number, RefreshCompletion(.done)))
            }
            stage.passToLaunch(within: Self.day)
        }

        #expect(stage.launches.count == 1001)
        #expect(stage.ends.count { $0.result == .done } == 1000)
    }

    // MARK: One wake

    @Test(.rule("F8")) func `All that may run does so in one wake`() {
        var stage = RefreshStage()
        stage.send(.setInterval(.seconds(3600)))
        stage.pass(3700)
        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: stage.now.wall + 10)))

        stage.pass(11)

        let last = stage.launches.suffix(2)
        #expect(Set(last.map(\.task.identifier)) == ["fetch", "refresh"])
        #expect(Set(last.map(\.at.boot)).count == 1)
    }

    @Test func `A fetch whose interval has not passed does not join another wake`() {
        var stage = RefreshStage()
        stage.send(.setInterval(.seconds(3600)))
        stage.pass(3000)

        stage.send(.submit(RefreshRequest("refresh", earliestBeginDate: stage.now.wall + 595)))
        stage.pass(599)

        #expect(stage.launches.map(\.task.identifier) == ["fetch", "refresh"])
    }

    @Test(.rule("F8"))
    func `The host is woken 48 times a day at most, unless it is in the foreground`() {
        var stage = RefreshStage()
        let names = (0..<500).map { "task\($0)" }
        stage.change {
            $0.capabilities.permittedIdentifiers = Set(names)
            $0.handlers = Set(names)
        }
        // Each has never run, so it would run at once.
        for name in names.prefix(200) {
            stage.send(.submit(RefreshRequest(name)))
            stage.pass(300)
        }
        #expect(stage.launches.count == 48)
        let forecast = stage.scheduler.forecasts(at: stage.now).first
        #expect(forecast?.reasons == [.budget])

        stage.change { $0.host = .active }

        #expect(stage.launches.count == 49)
    }

    // MARK: The user

    @Test func `Nothing wakes what was shut down until it is opened again`() {
        var stage = RefreshStage()
        stage.send(.setInterval(.minimum))
        stage.pass(10)
        let effects = stage.send(.shutDown)
        stage.pass(5 * Self.day)
        #expect(effects == [.keep(.isShutDown(true))])
        #expect(stage.launches.count == 1)
        #expect(stage.rings == 0)

        stage.open()
        stage.pass(Self.day)

        #expect(stage.launches.count > 1)
    }

    // MARK: The machine

    @Test func `A low battery, saving power and a missing network each hold a refresh`() {
        let changes: [(String, (inout RefreshConditions) -> Void)] = [
            ("lowBattery", { $0.machine.power = PowerState(isOnBattery: true, charge: 19.9) }),
            ("savingPower", { $0.machine.power.isSavingPower = true }),
            ("offline", { $0.machine.network.connectivity = .none }),
            ("offline", { $0.machine.network.connectivity = .portal }),
        ]
        for (name, change) in changes {
            var stage = RefreshStage()
            stage.change(change)
            stage.send(.submit(RefreshRequest("refresh")))
            stage.pass(Self.day)
            #expect(stage.launches.isEmpty)
            #expect(stage.rings == 0)
            let forecast = stage.scheduler.forecasts(at: stage.now)
            #expect(forecast.first?.reasons.map(\.rawValue) == [name])

            stage.change { $0.machine = RefreshStage.conditions.machine }

            #expect(stage.launches.count == 1)
        }
    }

    @Test func `At twenty percent, or on external power, the charge does not matter`() {
        for power in [
            PowerState(isOnBattery: true, charge: 20), PowerState(isOnBattery: false, charge: 5),
        ] {
            var stage = RefreshStage()
            stage.change { $0.machine.power = power }

            stage.send(.submit(RefreshRequest("refresh")))

            #expect(stage.launches.count == 1)
        }
    }

    @Test func `After sleep, all that is due runs once, a little later`() {
        var stage = RefreshStage()
        stage.send(.setInterval(.minimum))
        stage.pass(10)
        stage.change { $0.machine.isSleeping = true }
        stage.pass(3 * Self.day, alarms: false)

        stage.change { $0.machine.isSleeping = false }
        let woken = stage.now.boot
        #expect(stage.launches.count == 1)
        stage.pass(61)

        #expect(stage.launches.count == 2)
        let delay = (stage.launches.last?.at.boot ?? 0) - woken
        #expect(delay >= 5 && delay <= 60.1)
    }
}

extension RefreshStage {
    /// Submits a request and returns why it was refused, if it was.
    mutating func refusal(_ request: RefreshRequest) -> RefreshError? {
        for case .refused(_, let error) in send(.submit(request)) { return error }
        return nil
    }
}
