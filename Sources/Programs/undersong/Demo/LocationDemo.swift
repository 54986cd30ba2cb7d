import ArgumentParser
import Glibc
import Synchronization
import UndersongBackground
import UndersongCommandOptions
import UndersongLocation
import UndersongPlayback

/// Decides what `undersong demo location` writes, event by event: an application that collects pins
/// for its map, in the background, too (D6-D8).
struct LocationDemo {
    /// The maximum number of pins on the map.
    static let limit = 100

    private var state: ApplicationState
    private(set) var pins: [LocationFix] = []
    /// The number of those that have come since the application was last active.
    private var unseen = 0

    init(state: ApplicationState) { self.state = state }

    /// Takes a new location, and returns the lines to write.
    mutating func update(_ fix: LocationFix) -> [String] {
        pins.append(fix)
        while pins.count > Self.limit { pins.removeFirst() }
        guard state != .active else { return [Self.pin(fix)] }
        unseen = min(unseen + 1, Self.limit)
        guard state == .background else { return [] }
        return ["App is backgrounded. New location is \(LocationText.description(fix))"]
    }

    /// The host has another state. Back in the foreground, the map shows what has come meanwhile.
    mutating func enter(_ new: ApplicationState) -> [String] {
        state = new
        guard new == .active, unseen > 0 else { return [] }
        defer { unseen = 0 }
        return pins.suffix(unseen).map(Self.pin)
            + ["\(pins.count) pin\(pins.count == 1 ? "" : "s") on the map"]
    }

    private static func pin(_ fix: LocationFix) -> String {
        "Pin at \(LocationText.description(fix))"
    }
}

struct LocationDemoVerb: Verb {
    static let configuration = described(
        "location", "Collect pins for a map, also in the background.",
        discussion: """
            Every location is a pin; the map keeps the newest 100. In the background each one is \
            logged, and back in the foreground the map shows all of them. It needs 'undersong \
            location authorize always' and 'undersong capability location on'.
            """)

    @Option(choice: ArgumentHelp("The accuracy of locations.", valueName: "level"))
    var accuracy = LocationAccuracy.Level.best

    @Option(help: ArgumentHelp("End after this many locations.", valueName: "count"))
    var times: Int?

    @OptionGroup var session: SessionName

    func validate() throws {
        if let times, times < 1 { throw ValidationError("--times must be 1 or more.") }
    }

    func perform() throws {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let state = terminal.state
        let link = Service()
        let app = LocationApp(link, state: state, times: times)
        let options = Follower.Options(
            purpose: "follow locations", stop: { _, host in app.stop { host.leave(0) } },
            handle: { app.handle($0) })
        let follower = Follower(terminal, options, link: link)
        try follower.begin(session: session.text, as: "demo location", startsService: true) {
            calls in
            calls.add(Attach(state: state, source: terminal.source))
            calls.add(Subscribe(interval: nil, kinds: ["application", "location"]))
        }
        app.start(accuracy) { follower.leave(0) }
        follower.follow(signals, reported: state)
    }
}

/// Performs what `LocationDemo` says.
final class LocationApp: Sendable {
    private struct State {
        var demo: LocationDemo
        var timesLeft: Int?
        /// True if updates were off before, so that this program ends them.
        var beganUpdates = false
        var whenDone: @Sendable () -> Void = {}
    }

    private let link: Service
    private let state: Mutex<State>

    init(_ link: Service, state: ApplicationState, times: Int?) {
        self.link = link
        self.state = Mutex(State(demo: LocationDemo(state: state), timesLeft: times))
    }

    /// Begins updates with this accuracy; `whenDone` is called after the last location.
    func start(_ accuracy: LocationAccuracy.Level, whenDone: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenDone = whenDone }
        link.send(GetLocationStatus()) { [self] result in
            guard let before = try? result.get() else { return }
            state.withLock { $0.beganUpdates = !before.settings.isUpdating }
            link.send(SetLocationAccuracy(accuracy: accuracy))
            link.send(StartLocations()) { result in
                guard let status = try? result.get(), let reason = status.reason else { return }
                complain(LocationText.absence(reason, status))
            }
        }
    }

    /// Ends updates if they were off before, and then calls `then`.
    func stop(_ then: @escaping @Sendable () -> Void) {
        guard state.withLock({ $0.beganUpdates }) else { return then() }
        link.send(StopLocations()) { _ in then() }
    }

    func handle(_ notice: Notice) {
        guard case .event(let event) = notice else { return }
        write { $0.enter(event.head.applicationState) }
        switch event.kind {
        case .location(.fix(let fix)): write { $0.update(fix) }
        case .location(.problem(let reason)):
            return link.send(GetLocationStatus()) { result in
                guard let status = try? result.get() else { return }
                complain(LocationText.absence(reason, status))
            }
        default: return
        }
        let isLast = state.withLock { state in
            state.timesLeft = state.timesLeft.map { $0 - 1 }
            return state.timesLeft == 0
        }
        if isLast { stop(state.withLock { $0.whenDone }) }
    }

    private func write(_ step: (inout LocationDemo) -> [String]) {
        for line in state.withLock({ step(&$0.demo) }) { writeOutput(line + "\n") }
    }
}
