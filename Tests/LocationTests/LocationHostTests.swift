import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongLocation

@Suite struct `A host of the location policy` {
    private let clock = ManualClock()
    private let performed = Performed()

    /// A host in the foreground, with updates for its client 1.
    private func host(_ source: ScriptedSource) -> LocationHost {
        let host = LocationHost(
            LocationPolicy.Record(status: .always), label: "test",
            now: { [clock] in clock.locationTime },
            alarm: { [clock] ring in HostAlarm(clock, ring) }, source: { source })
        host.begin { [performed] effects, policy in performed.add(effects, policy.record) }
        host.handle(.declared(hasBackgroundMode: true, LocationUsage(always: "to follow you")))
        host.handle(.start(1, .updates))
        return host
    }

    private func fix(_ latitude: Double) -> LocationFix {
        LocationFix(
            Coordinate(latitude: latitude, longitude: 0), horizontalAccuracy: 5,
            time: clock.secondsSinceEpoch, arrival: clock.secondsSinceBoot, source: .gpsd)
    }

    @Test func `LocationHost has others perform effects, but for those on its source`() {
        let source = ScriptedSource()
        let host = host(source)
        let here = fix(1)

        source.send(.fix(here))
        host.settle()
        host.handle(.stop(1, .updates))

        #expect(source.calls == ["start", "stop"])
        #expect(performed.effects == [.deliver(here, to: 1)])
    }

    @Test func `LocationHost ignores what a source sends after it was replaced`() {
        let (first, second) = (ScriptedSource(), ScriptedSource())
        let host = host(first)
        let here = fix(2)

        host.replaceSource { second }
        first.send(.fix(fix(1)))
        second.send(.fix(here))
        host.settle()
        host.handle(.stop(1, .updates))
        host.handle(.start(1, .updates))

        #expect(first.calls == ["start", "stop"])
        #expect(second.calls == ["start", "stop", "start"])
        #expect(performed.effects == [.deliver(here, to: 1)])
    }

    @Test func `LocationHost opens the chosen source when one is wanted next`() {
        let (first, second) = (ScriptedSource(), ScriptedSource())
        let host = host(first)
        host.handle(.stop(1, .updates))

        host.replaceSource { second }
        let before = second.calls
        host.handle(.start(1, .updates))

        #expect(before == [] && second.calls == ["start"])
        #expect(first.calls == ["start", "stop"])
    }

    @Test func `LocationHost keeps time, and hands on the latest desk with effects`() {
        let host = host(ScriptedSource())
        host.handle(
            .watch(
                CircularRegion(
                    identifier: "home", center: Coordinate(latitude: 1, longitude: 0), radius: 100),
                by: 1))

        clock.advance(by: 10)
        host.settle()

        #expect(
            performed.effects == [
                .save, .watching("home", by: 1), .fail(.locationUnknown, 1),
            ])
        #expect(
            performed.records.map { $0.regions.map(\.region.identifier) } == [["home"], ["home"]])
    }

    @Test func `LocationHost performs nothing after its end`() {
        let source = ScriptedSource()
        let host = host(source)

        host.end()
        source.send(.fix(fix(1)))
        clock.advance(by: 60)
        host.handle(.start(1, .updates))
        host.settle()

        #expect(source.calls == ["start", "stop"])
        #expect(performed.effects == [])
        #expect(clock.dueTimes == [])
    }

    @Test func `LocationHost closes its source when nobody holds it`() {
        let source = ScriptedSource()

        _ = host(source)

        #expect(source.calls == ["start", "stop"])
    }
}

/// Collects effects that were performed.
private final class Performed: Sendable {
    private let calls = Mutex<[(effects: [LocationPolicy.Effect], record: LocationPolicy.Record)]>(
        [])

    var effects: [LocationPolicy.Effect] { calls.withLock { $0.flatMap(\.effects) } }
    var records: [LocationPolicy.Record] { calls.withLock { $0.map(\.record) } }

    func add(_ effects: [LocationPolicy.Effect], _ record: LocationPolicy.Record) {
        calls.withLock { $0.append((effects, record)) }
    }
}

/// A source that sends what a test says, also after it was stopped.
private final class ScriptedSource: LocationSource {
    private struct State {
        var handler: (@Sendable (LocationSourceEvent) -> Void)?
        var calls: [String] = []
    }

    let kind = LocationSourceKind.gpsd
    private let state = Mutex(State())

    var calls: [String] { state.withLock(\.calls) }

    func start(
        _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) {
        state.withLock { state in
            state.handler = handler
            state.calls.append("start")
        }
    }

    func change(_ demand: LocationDemand) { state.withLock { $0.calls.append("change") } }

    func stop() { state.withLock { $0.calls.append("stop") } }

    func send(_ event: LocationSourceEvent) { state.withLock(\.handler)?(event) }
}
