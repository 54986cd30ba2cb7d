import TestSupport
import Testing

@testable import UndersongLocation

/// Random inputs, among them what makes no sense.
@Suite struct `The location policy under random events` {
    private typealias Effect = LocationPolicy.Effect

    private struct Run {
        var stage = PolicyStage(status: .notDetermined)
        var random: SeededNumbers
        var isOpen = false
        /// The seconds by which the source is late against the host's clock.
        var delay = 0.0
        var hasMode = true
        var delivered = 0

        init(seed: UInt64) { random = SeededNumbers(seed) }

        mutating func chance(_ count: Int) -> Int { random.below(count) }

        mutating func input() -> LocationPolicy.Input {
            let client = chance(4)
            switch chance(28) {
            case 0: return .options(client, options())
            case 1, 2, 3: return .start(client, service())
            case 4: return .stop(client, service())
            case 5: return .request(client)
            case 6: return .watch(region(), by: client)
            case 7: return .unwatch("\(chance(30))")
            case 8: return .requestState("\(chance(30))", by: client)
            case 9: return .left(client)
            case 10: return .host(isForeground: chance(2) == 0)
            case 11:
                hasMode = chance(3) > 0
                let usage = chance(6) == 0 ? LocationUsage() : PolicyStage.usage
                return .declared(hasBackgroundMode: hasMode, usage)
            case 12: return .requestAuthorization(chance(2) == 0 ? .always : .whenInUse)
            case 13, 14:
                let status = [LocationAuthorization.Status.always, .always, .whenInUse, .never]
                return .authorize(status[chance(4)])
            case 15: return .source(number(), .state(state()))
            case 16:
                delay = [0, 0, 0, 30, 600, -3600][chance(6)]
                return .timePassed
            case 17: return .wantRegions(wantedRegions())
            case 18:
                let state = [RegionState.inside, .outside, .unknown][chance(3)]
                return .observed("\(chance(30))", state)
            case 19: return .replaceSource
            default: return .source(number(), .fix(randomFix()))
            }
        }

        /// The number of the source that is open, or an earlier one.
        private mutating func number() -> Int { stage.policy.sourceNumber - chance(10) / 9 }

        private mutating func wantedRegions() -> Set<String>? {
            chance(3) == 0 ? nil : Set((0..<chance(10)).map { _ in "\(chance(30))" })
        }

        private mutating func options() -> LocationOptions {
            LocationOptions(
                accuracy: LocationAccuracy.Level.allCases.map(\.accuracy)[chance(6)],
                backgroundAccuracy: chance(2) == 0 ? .kilometer : nil,
                distanceFilter: [-1, 0, 25, 1000, .nan][chance(5)],
                allowsBackground: chance(2) == 0, pausesAutomatically: chance(2) == 0)
        }

        private mutating func service() -> LocationService { LocationService.allCases[chance(3)] }

        private mutating func state() -> LocationSourceState {
            [
                .searching, .available(isSteady: true), .available(isSteady: false),
                .unavailable("gone"), .denied("no"),
            ][chance(5)]
        }

        private mutating func region() -> CircularRegion {
            CircularRegion(
                identifier: "\(chance(30))", center: spot().coordinate,
                radius: [0, 20, 100, 1e5, 1e9, .nan][chance(6)])
        }

        private mutating func spot() -> Spot {
            Spot(east: Double(chance(2000)), north: Double(chance(2000)))
        }

        private mutating func randomFix() -> LocationFix {
            var fix = fix(spot(), at: stage.now - delay, accuracy: [0, 5, 50, 5000, -1][chance(5)])
            fix.arrival = stage.now
            switch chance(20) {
            case 0: fix.coordinate.latitude = 91
            case 1: fix.coordinate.longitude = .nan
            case 2: fix.time -= Double(chance(100))
            case 3: fix.speed = .nan
            default: break
            }
            return fix
        }

        /// Checks what has to be so after each input.
        mutating func check(_ effects: [Effect]) -> String? {
            for effect in effects {
                switch effect {
                case .open:
                    if isOpen { return "opened twice" }
                    isOpen = true
                case .change: if !isOpen { return "changed while closed" }
                case .close:
                    if !isOpen { return "closed twice" }
                    isOpen = false
                case .deliver(let fix, _):
                    delivered += 1
                    if !fix.coordinate.isValid || fix.horizontalAccuracy < 0 { return "nowhere" }
                    if !stage.policy.status.isAuthorized { return "not authorized" }
                    if !stage.policy.usage.isDeclared { return "not declared" }
                case .watching: if stage.policy.watchedRegions.count > 20 { return "too many" }
                default: break
                }
            }
            if isOpen != (stage.policy.demand != nil) { return "the demand is another one" }
            if isOpen, !stage.policy.status.isAuthorized { return "open without authorization" }
            if let due = stage.nextDue, due.isNaN { return "due at no time" }
            return nil
        }
    }

    @Test(arguments: 0..<40)
    func `LocationPolicy opens and closes in turn, gives away nothing wrong, and comes to rest`(
        seed: Int
    ) {
        var run = Run(seed: UInt64(seed))

        for step in 0..<2000 {
            let seconds = [0, 0.1, 1, 5, 60, 1000][run.chance(6)]
            let end = run.stage.now + seconds
            var calls = 0
            while let due = run.stage.nextDue, due <= end {
                run.stage.now = max(run.stage.now, due)
                let problem = run.check(run.stage.handle(.timePassed))
                calls += 1
                guard problem == nil, calls < 200 else {
                    Issue.record("step \(step): \(problem ?? "the time has stopped")")
                    return
                }
            }
            run.stage.now = end
            let input = run.input()
            if let problem = run.check(run.stage.handle(input)) {
                Issue.record("step \(step): \(problem) after \(input)")
                return
            }
        }
        #expect(run.delivered > 10)

        for client in 0..<4 { _ = run.check(run.stage.handle(.left(client))) }
        for number in 0..<30 { _ = run.check(run.stage.handle(.unwatch("\(number)"))) }
        #expect(!run.isOpen)
        #expect(run.stage.nextDue == nil)
    }
}
