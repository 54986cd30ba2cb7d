import TestSupport
import Testing

@testable import UndersongLocation

@Suite struct `The location policy` {
    private typealias Stage = PolicyStage
    private static let here = Spot(east: 0, north: 0)

    // MARK: The source

    @Test func `LocationPolicy opens no source that nobody wants`() {
        var stage = Stage()

        #expect(stage.handle(.options(1, LocationOptions())) == [])
        #expect(stage.policy.demand == nil)
        #expect(
            stage.handle(.start(1, .updates)) == [.open(LocationDemand(accuracy: .best), as: 1)])
        #expect(stage.handle(.start(2, .updates)) == [])
        #expect(stage.handle(.stop(1, .updates)) == [])
        #expect(stage.handle(.stop(2, .updates)) == [.close])
        #expect(stage.nextDue == nil)
    }

    @Test(.rule("D5")) func `LocationPolicy begins no second time for a client that starts again`()
    {
        var stage = Stage()
        stage.handle(.options(1, LocationOptions(distanceFilter: 100)))
        stage.handle(.start(1, .updates))
        let here = fix(Self.here, at: 0)
        #expect(stage.receive(here) == [.deliver(here, to: 1)])

        #expect(stage.handle(.start(1, .updates)) == [])
        #expect(stage.receive(fix(Self.here, at: 1)) == [])
        stage.handle(.stop(1, .updates))
        stage.handle(.start(1, .updates))
        let again = fix(Self.here, at: 2)
        #expect(stage.receive(again) == [.deliver(again, to: 1)])
    }

    @Test func `LocationPolicy closes the source when the last client is gone`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))

        #expect(stage.handle(.left(1)) == [.close])
    }

    @Test func `LocationPolicy asks the source for the most exact of what clients want`() {
        var stage = Stage()
        stage.handle(
            .options(1, LocationOptions(accuracy: .kilometer, distanceFilter: 500)))
        stage.handle(.options(2, LocationOptions(accuracy: .hundredMeters, distanceFilter: 50)))
        stage.handle(.start(1, .updates))

        #expect(
            stage.handle(.start(2, .updates))
                == [.change(LocationDemand(accuracy: .hundredMeters, distance: 50))])
        #expect(
            stage.handle(.options(2, LocationOptions(accuracy: .bestForNavigation)))
                == [.change(LocationDemand(accuracy: .bestForNavigation, distance: 0))])
        #expect(
            stage.handle(.stop(2, .updates))
                == [.change(LocationDemand(accuracy: .kilometer, distance: 500))])
    }

    @Test func `LocationPolicy opens the source for regions, visits and significant changes, too`()
    {
        for service in [LocationService.visits, .significantChanges] {
            var stage = Stage()
            #expect(stage.handle(.start(1, service)).count == 1)
            #expect(stage.policy.demand?.accuracy == .hundredMeters)
            #expect(stage.handle(.stop(1, service)) == [.close])
        }
        var stage = Stage()
        stage.handle(.watch(region("home"), by: 1))
        #expect(stage.policy.demand?.accuracy == .nearestTenMeters)
        #expect(stage.handle(.unwatch("home")) == [.save, .close])
    }

    @Test(.rule("B5"))
    func `LocationPolicy opens the source only for wanted regions, and notices others beside it`() {
        var stage = Stage()
        stage.handle(.wantRegions([]))
        #expect(stage.handle(.watch(region("home"), by: 1)) == [.save, .watching("home", by: 1)])
        #expect(stage.policy.demand == nil && stage.nextDue == nil)

        #expect(stage.handle(.wantRegions(["home", "work"])).count == 1)
        #expect(stage.policy.demand == LocationDemand(accuracy: .nearestTenMeters))
        #expect(stage.handle(.wantRegions(["work"])) == [.close])
        stage.handle(.options(1, LocationOptions(accuracy: .kilometer)))
        #expect(
            stage.handle(.start(1, .updates))
                == [.open(LocationDemand(accuracy: .kilometer), as: 2)])
        #expect(
            stage.receive(fix(Self.here, at: 1)).contains(.region(.determined("home", .inside))))
        #expect(stage.handle(.stop(1, .updates)) == [.close])
        #expect(stage.handle(.wantRegions(nil)).count == 1)
    }

    @Test func `LocationPolicy does not mistake a jump that nobody has observed for a crossing`() {
        var stage = Stage()
        stage.handle(.wantRegions([]))
        stage.handle(.watch(region("home"), by: 1))
        stage.handle(.start(1, .updates))
        _ = (0..<10).flatMap { stage.receive(fix(Self.here, at: Double($0))) }
        _ = stage.receive(fix(Spot(east: 1000, north: 0), at: 20))

        stage.handle(.stop(1, .updates))
        stage.handle(.start(1, .updates))
        let back = (41..<60).flatMap { stage.receive(fix(Self.here, at: Double($0))) }

        #expect(!back.contains(.region(.exited("home"))))
        #expect(!back.contains(.region(.entered("home"))))
    }

    @Test func `LocationPolicy lowers the accuracy in the background where a client says so`() {
        var stage = Stage()
        stage.handle(
            .options(
                1,
                LocationOptions(backgroundAccuracy: .kilometer, allowsBackground: true)))
        stage.handle(.start(1, .updates))

        #expect(
            stage.handle(.host(isForeground: false))
                == [.change(LocationDemand(accuracy: .kilometer))])
        #expect(
            stage.handle(.host(isForeground: true)) == [.change(LocationDemand(accuracy: .best))])
    }

    @Test func `LocationPolicy does not raise the accuracy in the background`() {
        var stage = Stage()
        stage.handle(
            .options(
                1,
                LocationOptions(
                    accuracy: .kilometer, backgroundAccuracy: .best, allowsBackground: true)))
        stage.handle(.start(1, .updates))

        #expect(stage.handle(.host(isForeground: false)) == [])
        #expect(stage.policy.demand == LocationDemand(accuracy: .kilometer))
    }

    @Test func `LocationPolicy lets the accuracy be changed in the background`() {
        var stage = Stage()
        stage.handle(.options(1, LocationOptions(allowsBackground: true)))
        stage.handle(.start(1, .updates))
        stage.handle(.host(isForeground: false))

        #expect(
            stage.handle(
                .options(1, LocationOptions(accuracy: .threeKilometers, allowsBackground: true)))
                == [.change(LocationDemand(accuracy: .threeKilometers))])
    }

    // MARK: Authorization

    @Test(arguments: [LocationAuthorization.Scope.whenInUse, .always])
    func `LocationPolicy does nothing at all without a usage description`(
        scope: LocationAuthorization.Scope
    ) {
        var stage = Stage(usage: LocationUsage())

        for status in [LocationAuthorization.Status.notDetermined, .always, .never] {
            stage.handle(.authorize(status))
            #expect(stage.handle(.requestAuthorization(scope)) == [])
            #expect(stage.handle(.start(1, .updates)) == [])
            #expect(stage.handle(.request(1)) == [])
            #expect(stage.policy.obstacle(to: .updates, of: 1) == .noUsageDescription)
        }
        #expect(stage.nextDue == nil)
    }

    @Test func `LocationPolicy asks the user with the text of the key, and waits for the answer`() {
        var stage = Stage(status: .notDetermined)

        #expect(stage.handle(.start(1, .updates)) == [])
        #expect(stage.policy.obstacle(to: .updates, of: 1) == .notDetermined)
        #expect(
            stage.handle(.requestAuthorization(.whenInUse))
                == [.prompt(.init(scope: .whenInUse, isUpgrade: false, text: "to follow you"))])
        #expect(
            stage.handle(.authorize(.whenInUse))
                == [
                    .save, .authorized(.whenInUse), .open(LocationDemand(accuracy: .best), as: 1),
                ])
        #expect(stage.handle(.authorize(.whenInUse)) == [])
    }

    @Test func `LocationPolicy needs the keys that iOS needs for each question`() {
        let none = LocationUsage()
        let first = LocationUsage(whenInUse: "a")
        let both = LocationUsage(whenInUse: "a", alwaysAndWhenInUse: "b")
        let half = LocationUsage(alwaysAndWhenInUse: "b")
        let old = LocationUsage(always: "c")

        #expect(
            [none, first, both, half, old].map { $0.text(for: .whenInUse) } == [
                nil, "a", "a", nil, nil,
            ])
        #expect(
            [none, first, both, half, old].map { $0.text(for: .always) } == [
                nil, nil, "b", nil, "c",
            ])
    }

    @Test func `LocationPolicy asks for more once, at the host's first time in the background`() {
        var stage = Stage(status: .notDetermined)
        stage.handle(.requestAuthorization(.always))
        stage.handle(.authorize(.whenInUse))
        stage.handle(.start(1, .updates))

        let upgrade = LocationAuthorization.Prompt(
            scope: .always, isUpgrade: true, text: "to follow you everywhere")
        #expect(stage.handle(.host(isForeground: false)) == [.save, .prompt(upgrade), .close])
        stage.handle(.host(isForeground: true))
        #expect(stage.handle(.host(isForeground: false)) == [.close])
        stage.handle(.host(isForeground: true))
        #expect(stage.handle(.requestAuthorization(.always)) == [])
    }

    @Test func `LocationPolicy asks for more at once if use in the foreground was allowed before`()
    {
        var stage = Stage(status: .whenInUse)

        let prompts = stage.handle(.requestAuthorization(.always))

        #expect(prompts.count == 2)
        #expect(stage.handle(.requestAuthorization(.always)) == [])
        var later = LocationPolicy(stage.policy.record)
        _ = later.handle(.declared(hasBackgroundMode: true, PolicyStage.usage), at: LocationTime(0))
        #expect(later.handle(.requestAuthorization(.always), at: LocationTime(0)) == [])
    }

    @Test func `LocationPolicy asks for more again after the decision was withdrawn`() {
        var stage = Stage(status: .whenInUse)
        #expect(stage.handle(.requestAuthorization(.always)).count == 2)

        stage.handle(.authorize(.notDetermined))
        stage.handle(.authorize(.whenInUse))

        #expect(stage.handle(.requestAuthorization(.always)).count == 2)
    }

    @Test func `LocationPolicy asks nothing in the background, and nothing that was decided`() {
        var stage = Stage(status: .notDetermined)
        stage.handle(.host(isForeground: false))
        #expect(stage.handle(.requestAuthorization(.always)) == [])
        stage.handle(.host(isForeground: true))
        for status in [LocationAuthorization.Status.never, .restricted, .always] {
            stage.handle(.authorize(status))
            #expect(stage.handle(.requestAuthorization(.always)) == [])
        }
    }

    @Test func `LocationPolicy notifies clients once that the user does not allow it`() {
        var stage = Stage(status: .never)

        #expect(stage.handle(.start(1, .updates)).map(\.isDenial) == [true])
        #expect(stage.handle(.host(isForeground: false)) == [])
        #expect(stage.handle(.host(isForeground: true)) == [])
        #expect(stage.handle(.start(1, .updates)).map(\.isDenial) == [true])
        #expect(stage.handle(.request(2)).map(\.isDenial) == [true])
        stage.handle(.authorize(.always))
        let effects = stage.handle(.authorize(.never))
        #expect(effects.filter(\.isDenial).count == 1)
        #expect(effects.last == .close)
    }

    @Test func `LocationPolicy notifies clients once that the source may not measure`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))

        #expect(
            stage.report(.state(.denied("no agent"))) == [.fail(.denied("no agent"), 1)])
        #expect(stage.report(.state(.denied("no agent"))) == [])
        #expect(stage.nextDue == nil)
        #expect(stage.report(.fix(fix(Self.here, at: 0))).count == 1)
    }

    // MARK: The background

    @Test
    func `LocationPolicy stops updates in the background without the mode or the client's flag`() {
        let cases: [(mode: Bool, flag: Bool, obstacle: LocationObstacle?)] = [
            (false, false, .noBackgroundMode), (false, true, .noBackgroundMode),
            (true, false, .foregroundOnly), (true, true, nil),
        ]
        for (mode, flag, obstacle) in cases {
            for status in [LocationAuthorization.Status.always, .whenInUse] {
                var stage = Stage(status: status, hasMode: mode)
                stage.handle(.options(1, LocationOptions(allowsBackground: flag)))
                stage.handle(.start(1, .updates))

                let effects = stage.handle(.host(isForeground: false))

                #expect(stage.policy.obstacle(to: .updates, of: 1) == obstacle)
                #expect(effects == (obstacle == nil ? [] : [.close]))
                #expect(
                    stage.handle(.host(isForeground: true))
                        == (obstacle == nil
                            ? [] : [.open(LocationDemand(accuracy: .best), as: 2)]))
            }
        }
    }

    @Test func `LocationPolicy begins updates in the background only if they are always allowed`() {
        for status in [LocationAuthorization.Status.always, .whenInUse] {
            var stage = Stage(status: status)
            stage.handle(.options(1, LocationOptions(allowsBackground: true)))
            stage.handle(.host(isForeground: false))

            stage.handle(.start(1, .updates))

            #expect(
                stage.policy.obstacle(to: .updates, of: 1)
                    == (status == .always ? nil : .whenInUseOnly))
        }
    }

    @Test
    func `Regions and visits are watched in the background without the mode, if always allowed`() {
        for status in [LocationAuthorization.Status.always, .whenInUse] {
            var stage = Stage(status: status, hasMode: false)
            stage.handle(.watch(region("home"), by: 1))
            stage.handle(.start(1, .visits))

            let effects = stage.handle(.host(isForeground: false))

            #expect(effects == (status == .always ? [] : [.close]))
            #expect((stage.policy.obstacleToRegions == nil) == (status == .always))
        }
    }

    @Test func `LocationPolicy pauses in the background while nothing moves, and continues then`() {
        var stage = Stage()
        stage.handle(.options(1, LocationOptions(allowsBackground: true)))
        stage.handle(.start(1, .updates))
        stage.report(.state(.available(isSteady: true)))
        stage.handle(.host(isForeground: false))
        var way = Way(noise: 5, accuracy: 10)

        let standing = way.fixes(for: 1000) { _ in Self.here }
            .flatMap { stage.receive($0) }
        let pausedAt = standing.firstIndex(of: .paused(1))
        let moving = way.fixes(from: 1001, for: 60) { Spot(east: $0 * 10, north: 0) }
            .flatMap { stage.receive($0) }

        let deliveredBefore = pausedAt.map { standing[..<$0].filter(\.isDelivery).count }
        #expect(deliveredBefore == 900)
        #expect(
            standing.suffix(2)
                == [.paused(1), .change(LocationDemand(accuracy: .hundredMeters, distance: 50))])
        #expect(moving.filter { $0 == .resumed(1) }.count == 1)
        #expect(moving.filter(\.isDelivery).count > 40)
    }

    @Test func `LocationPolicy pauses by the times of a recording, however fast it is replayed`() {
        var stage = Stage()
        stage.handle(.options(1, LocationOptions(allowsBackground: true)))
        stage.handle(.start(1, .updates))
        stage.handle(.host(isForeground: false))
        var way = Way()

        let effects = way.fixes(for: 1000) { _ in Self.here }.map { fix in
            var fix = fix
            (fix.arrival, fix.source) = (fix.time / 60, .replay)
            stage.now = fix.arrival
            return stage.report(.fix(fix)).first
        }

        #expect(effects.firstIndex(of: .paused(1)) == 900)
    }

    @Test func `LocationPolicy does not pause in front, nor for clients that do not want it`() {
        for (isForeground, pauses) in [(true, true), (false, false)] {
            var stage = Stage()
            stage.handle(
                .options(
                    1, LocationOptions(allowsBackground: true, pausesAutomatically: pauses)))
            stage.handle(.start(1, .updates))
            stage.handle(.host(isForeground: isForeground))
            var way = Way()

            let effects = way.fixes(for: 2000) { _ in Self.here }.flatMap { stage.receive($0) }

            #expect(effects.allSatisfy { $0.isDelivery })
        }
    }

    @Test func `LocationPolicy pauses in silence, and continues in front`() {
        var stage = Stage()
        stage.handle(.options(1, LocationOptions(allowsBackground: true)))
        stage.handle(.start(1, .updates))
        stage.report(.state(.available(isSteady: false)))
        stage.handle(.host(isForeground: false))
        _ = stage.receive(fix(Self.here, at: 5))

        #expect(stage.nextDue == 905)
        #expect(stage.advance(to: 905).first == .paused(1))
        #expect(stage.nextDue == nil)
        #expect(stage.handle(.host(isForeground: true)).first == .resumed(1))
    }

    // MARK: Fixes

    @Test func `LocationPolicy gives clients what their filters pass, and reports what it refuses`()
    {
        var stage = Stage()
        stage.handle(.options(2, LocationOptions(distanceFilter: 25)))
        stage.handle(.start(1, .updates))
        stage.handle(.start(2, .updates))
        let fixes = (0..<6).map { fix(Spot(east: 10 * Double($0), north: 0), at: Double($0)) }

        let effects = fixes.map { stage.receive($0) }

        let expected = fixes.enumerated().map { index, fix -> [LocationPolicy.Effect] in
            [.deliver(fix, to: 1)] + (index % 3 == 0 ? [.deliver(fix, to: 2)] : [])
        }
        #expect(effects == expected)
        #expect(stage.receive(fixes[5]) == [.refused(fixes[5], .repeated)])
    }

    @Test func `LocationPolicy gives a client one fix once, whatever it has started`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        stage.handle(.start(1, .significantChanges))
        stage.handle(.request(1))
        let here = fix(Self.here, at: 1)

        #expect(stage.receive(here) == [.deliver(here, to: 1)])
    }

    @Test func `LocationPolicy ignores what an earlier source still sends`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        stage.handle(.replaceSource)
        let here = fix(Self.here, at: 1)

        #expect(stage.handle(.source(1, .state(.denied("late")))) == [])
        #expect(stage.handle(.source(1, .fix(here))) == [])
        #expect(stage.policy.sourceState == .searching)
        #expect(stage.handle(.source(2, .fix(here))) == [.deliver(here, to: 1)])
    }

    @Test func `LocationPolicy replaces no source while none is open`() {
        var stage = Stage()

        #expect(stage.handle(.replaceSource) == [])
    }

    @Test func `LocationPolicy closes its source at the end, and ignores what comes later`() {
        var stage = Stage()
        stage.handle(.watch(region("home"), by: 1))
        stage.handle(.start(1, .updates))
        let record = stage.policy.record

        #expect(stage.handle(.end) == [.close])
        #expect(stage.report(.fix(fix(Self.here, at: 1))) == [])
        #expect(stage.handle(.start(1, .updates)) == [])
        #expect(stage.handle(.end) == [])
        #expect(stage.nextDue == nil)
        #expect(stage.policy.record == record)
    }

    @Test func `LocationPolicy continues from a record that is read later`() {
        var stage = Stage(status: .notDetermined)
        stage.handle(.start(1, .updates))
        let regions = [WatchedRegion(region: region("home"), state: .outside)]

        let effects = stage.handle(
            .restore(.init(status: .always, hasAskedForUpgrade: true, regions: regions)))

        #expect(effects == [.open(LocationDemand(accuracy: .best), as: 1)])
        #expect(stage.policy.record.regions == regions && stage.policy.record.hasAskedForUpgrade)
        #expect(stage.policy.services(of: 1) == [.updates])
    }

    @Test func `LocationPolicy ignores what a closed source still sends`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        stage.handle(.stop(1, .updates))

        #expect(stage.report(.fix(fix(Self.here, at: 1))) == [])
        #expect(stage.report(.state(.available(isSteady: true))) == [])
        #expect(stage.policy.sourceState == nil)
        #expect(stage.policy.lastFix == nil)
    }

    @Test func `LocationPolicy believes another source from its first fix on`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        _ = stage.receive(fix(Self.here, at: 100))
        #expect(stage.advance(to: 105) == [])

        #expect(
            stage.handle(.replaceSource)
                == [.close, .open(LocationDemand(accuracy: .best), as: 2)])
        #expect(stage.policy.sourceState == .searching)
        #expect(stage.nextDue == 115)
        let earlier = fix(Spot(east: 90_000, north: 0), at: 50)
        #expect(stage.report(.fix(earlier)).map(\.isDelivery) == [true])
    }

    @Test func `LocationPolicy gives the fix of the last minute to a client that starts`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        stage.report(.state(.available(isSteady: true)))
        let here = fix(Self.here, at: 0)
        _ = stage.receive(here)

        stage.now = 60
        #expect(stage.handle(.start(2, .updates)) == [.deliver(here, to: 2)])
        stage.now = 61
        #expect(stage.handle(.start(3, .updates)) == [])
        stage.report(.state(.available(isSteady: false)))
        #expect(stage.handle(.start(4, .updates)) == [.deliver(here, to: 4)])
    }

    @Test
    func `LocationPolicy reports an unknown place once when a steady source is silent for 10 s`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        #expect(stage.nextDue == 10)
        stage.report(.state(.available(isSteady: true)))
        _ = stage.receive(fix(Self.here, at: 5))

        #expect(stage.nextDue == 15)
        #expect(stage.advance(to: 15) == [.fail(.locationUnknown, 1)])
        #expect(stage.nextDue == nil)
        #expect(stage.receive(fix(Self.here, at: 100)).map(\.isDelivery) == [true])
        #expect(stage.advance(to: 110) == [.fail(.locationUnknown, 1)])
    }

    @Test(.rule("LO14"))
    func `LocationPolicy does not count the time in which it was stopped as silence`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        stage.report(.state(.available(isSteady: true)))
        _ = stage.receive(fix(Self.here, at: 5))

        stage.now = 600
        #expect(stage.handle(.timePassed) == [])
        #expect(stage.nextDue == 610)
        #expect(stage.advance(to: 610) == [.fail(.locationUnknown, 1)])
    }

    @Test func `LocationPolicy does not mind the silence of a source that reports movements only`()
    {
        var stage = Stage()
        stage.handle(.start(1, .updates))
        stage.report(.state(.available(isSteady: false)))
        _ = stage.receive(fix(Self.here, at: 5))

        #expect(stage.nextDue == nil)
        stage.now = 50
        stage.report(.state(.unavailable("the bus is gone")))
        #expect(stage.advance(to: 60) == [.fail(.locationUnknown, 1)])
    }

    @Test(.rule("D12"))
    func `LocationPolicy reports once why the source cannot measure, until it can`() {
        var stage = Stage()
        stage.handle(.start(1, .updates))

        #expect(stage.report(.state(.unavailable("no bus"))) == [.sourceFailed("no bus")])
        #expect(stage.report(.state(.searching)) == [])
        #expect(stage.report(.state(.unavailable("no bus"))) == [])
        #expect(stage.report(.state(.unavailable("no agent"))) == [.sourceFailed("no agent")])
        _ = stage.receive(fix(Self.here, at: 1))
        #expect(stage.report(.state(.unavailable("no agent"))) == [.sourceFailed("no agent")])
        stage.handle(.replaceSource)
        #expect(stage.report(.state(.unavailable("no agent"))) == [.sourceFailed("no agent")])
    }

    // MARK: One fix

    @Test func `LocationPolicy answers a request by the first fix that is exact enough`() {
        var stage = Stage()
        stage.handle(.options(1, LocationOptions(accuracy: .hundredMeters)))
        #expect(
            stage.handle(.request(1)) == [.open(LocationDemand(accuracy: .hundredMeters), as: 1)])
        let good = fix(Self.here, at: 2, accuracy: 100)

        #expect(stage.receive(fix(Self.here, at: 1, accuracy: 101)) == [])
        #expect(stage.receive(good) == [.deliver(good, to: 1), .close])
    }

    @Test func `LocationPolicy answers a request after 10 s by the best fix, or by an error`() {
        var stage = Stage()
        stage.handle(.request(1))
        let best = fix(Self.here, at: 2, accuracy: 40)
        _ = stage.receive(fix(Self.here, at: 1, accuracy: 50))
        _ = stage.receive(best)
        _ = stage.receive(fix(Self.here, at: 3, accuracy: 45))

        #expect(stage.nextDue == 10)
        #expect(stage.advance(to: 10) == [.deliver(best, to: 1), .close])
        stage.handle(.request(1))
        #expect(stage.advance(to: 20) == [.fail(.locationUnknown, 1), .close])
    }

    @Test func `LocationPolicy withdraws a request with the updates`() {
        var stage = Stage()
        stage.handle(.start(2, .updates))
        stage.handle(.request(1))

        #expect(stage.handle(.stop(1, .updates)) == [])
        let here = fix(Self.here, at: 1)
        #expect(stage.receive(here) == [.deliver(here, to: 2)])
        #expect(stage.advance(to: 11).allSatisfy { $0 == .fail(.locationUnknown, 2) })
    }

    // MARK: Regions

    @Test func `LocationPolicy watches twenty regions, keeps them, and continues after a crash`() {
        var stage = Stage()
        for number in 1...20 {
            #expect(
                stage.handle(.watch(region("\(number)"), by: 1)).prefix(2)
                    == [.save, .watching("\(number)", by: 1)])
        }
        let extra = region("21")
        #expect(
            stage.handle(.watch(extra, by: 1)) == [.notWatching(extra, .region(.tooMany), by: 1)])
        #expect(stage.handle(.watch(region("20", radius: 50), by: 1)).count == 2)
        let determined = stage.receive(fix(Spot(east: 1000, north: 0), at: 0))
        #expect(determined.first == .save)
        #expect(determined.count == 21)

        var later = PolicyStage(record: stage.policy.record)
        #expect(later.policy.watchedRegions.count == 20)
        #expect(later.policy.demand?.accuracy == .nearestTenMeters)
        let events = (0..<40).flatMap { later.receive(fix(Self.here, at: Double($0), accuracy: 5)) }
        let entries = events.filter {
            if case .region(let event) = $0 { event.phase == .entered } else { false }
        }
        #expect(entries.count == 20)
    }

    @Test func `LocationPolicy answers where the machine is as soon as that is known`() {
        var stage = Stage()
        stage.handle(.watch(region("home"), by: 1))

        #expect(stage.handle(.requestState("home", by: 3)) == [])
        #expect(
            stage.receive(fix(Self.here, at: 0)) == [
                .save, .region(.determined("home", .inside)), .regionState("home", .inside, to: 3),
            ])
        #expect(
            stage.handle(.requestState("home", by: 4)) == [.regionState("home", .inside, to: 4)])
        #expect(
            stage.handle(.requestState("work", by: 4)) == [.regionState("work", .unknown, to: 4)])
    }

    @Test(.rule("LO12")) func `LocationPolicy adopts once what another policy has observed`() {
        var stage = Stage()
        stage.handle(.watch(region("home"), by: 1))
        stage.handle(.requestState("home", by: 3))

        #expect(
            stage.handle(.observed("home", .outside)) == [
                .save, .region(.determined("home", .outside)),
                .regionState("home", .outside, to: 3),
            ])
        #expect(
            stage.handle(.observed("home", .inside)) == [.save, .region(.entered("home"))])
        #expect(stage.handle(.observed("home", .inside)) == [])
        #expect(stage.handle(.observed("home", .unknown)) == [])
        #expect(stage.handle(.observed("work", .inside)) == [])
        #expect(stage.receive(fix(Self.here, at: 1)) == [])
        #expect(
            stage.handle(.observed("home", .outside)) == [.save, .region(.exited("home"))])
    }

    @Test(.rule("LO12"))
    func `LocationPolicy forgets a crossing of its own that another policy has reported`() {
        var stage = Stage(record: LocationPolicy.Record(status: .always))
        stage.handle(.watch(region("home"), by: 1))
        stage.handle(.observed("home", .outside))
        _ = (0..<10).flatMap { stage.receive(fix(Self.here, at: Double($0))) }

        #expect(
            stage.handle(.observed("home", .inside)) == [.save, .region(.entered("home"))])
        #expect((10..<40).flatMap { stage.receive(fix(Self.here, at: Double($0))) } == [])
    }

    @Test func `LocationPolicy forgets who has asked for a region that is no longer watched`() {
        var stage = Stage()
        stage.handle(.watch(region("home"), by: 1))
        stage.handle(.requestState("home", by: 3))
        stage.handle(.unwatch("home"))
        stage.handle(.watch(region("home"), by: 1))

        #expect(
            stage.receive(fix(Self.here, at: 0)) == [.save, .region(.determined("home", .inside))])
    }

    @Test func `LocationPolicy does not answer a client that has left`() {
        var stage = Stage()
        stage.handle(.watch(region("home"), by: 1))
        stage.handle(.requestState("home", by: 3))
        stage.handle(.left(3))

        #expect(
            stage.receive(fix(Self.here, at: 0)) == [.save, .region(.determined("home", .inside))])
    }

    @Test func `LocationPolicy watches no region that the user does not allow`() {
        var stage = Stage(status: .never)

        #expect(
            stage.handle(.watch(region("home"), by: 1))
                == [.notWatching(region("home"), .regionsDenied, by: 1)])
        #expect(stage.policy.watchedRegions.isEmpty)
    }

    @Test func `LocationPolicy reports visits to those who want them`() {
        var stage = Stage()
        stage.handle(.start(1, .visits))
        stage.handle(.start(2, .updates))
        var way = Way()

        let effects = way.fixes(for: 700) { _ in Self.here }.flatMap { stage.receive($0) }

        let visits = effects.compactMap { if case .visit(_, let id) = $0 { id } else { nil } }
        #expect(visits == [1])
        #expect(stage.policy.currentVisit?.arrival == 0)
    }

    @Test func `LocationPolicy notices visits beside updates that are exact enough, and come`() {
        var stage = Stage(status: .whenInUse, hasMode: false)
        func set(_ accuracy: LocationAccuracy, background: LocationAccuracy? = nil) {
            stage.handle(
                .options(
                    1,
                    LocationOptions(
                        accuracy: accuracy, backgroundAccuracy: background, noticesVisits: true)))
        }
        func noticesVisits() -> Bool { stage.policy.services(of: 1).contains(.visits) }

        set(.hundredMeters)
        #expect(!noticesVisits())
        stage.handle(.start(1, .updates))
        #expect(noticesVisits())
        set(.best, background: .kilometer)
        #expect(!noticesVisits())
        set(.best)
        #expect(noticesVisits())
        #expect(stage.handle(.host(isForeground: false)) == [.close])
        #expect(!noticesVisits())
        stage.handle(.host(isForeground: true))
        #expect(noticesVisits())
        #expect(stage.handle(.stop(1, .updates)) == [.close])
        #expect(!noticesVisits())
    }

    @Test func `LocationPolicy does not take a time that nobody has observed for a visit`() {
        var stage = Stage(status: .whenInUse)
        stage.handle(.options(2, LocationOptions(allowsBackground: true)))
        stage.handle(.start(1, .visits))
        stage.handle(.start(2, .updates))
        stage.report(.state(.available(isSteady: false)))
        _ = stage.receive(fix(Self.here, at: 1))

        stage.handle(.host(isForeground: false))
        _ = stage.receive(fix(Self.here, at: 900))
        stage.handle(.host(isForeground: true))
        #expect(stage.receive(fix(Self.here, at: 1800)).map(\.isDelivery) == [true])
        stage.handle(.left(1))
        stage.handle(.start(1, .visits))

        #expect(stage.receive(fix(Self.here, at: 2500)).map(\.isDelivery) == [true])
    }

    private func region(_ identifier: String, radius: Double = 100) -> CircularRegion {
        CircularRegion(identifier: identifier, center: Self.here.coordinate, radius: radius)
    }
}

extension LocationPolicy.Effect {
    fileprivate var isDelivery: Bool { if case .deliver = self { true } else { false } }

    fileprivate var isDenial: Bool { if case .fail(.denied, _) = self { true } else { false } }
}
