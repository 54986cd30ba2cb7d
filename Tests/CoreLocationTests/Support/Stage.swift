import CoreLocation
import Dispatch
import Synchronization
import UIKit
import UndersongAppHost
import UndersongBackground
import UndersongBase
import UndersongLocation

/// A program that uses places, with its system, a source and time by hand, and a log of what its
/// delegates get.
@MainActor final class Stage {
    nonisolated static let home = CLLocationCoordinate2D(latitude: 52.5219, longitude: 13.4132)

    let alarm = ManualAlarm()
    let source: ScriptedSource
    let board = HostStateBroadcaster()
    let center: LocationCenter
    let application: UIApplication
    let log = Log()
    let host: CLLocationManager.Host
    /// Managers do not retain them.
    private var listeners: [Listener] = []

    /// A program in the foreground that declares everything, and is allowed to know places.
    init(
        modes: Set<BackgroundMode> = [.location], declaresUsage: Bool = true,
        status: CLAuthorizationStatus = .authorizedAlways
    ) {
        source = ScriptedSource(alarm)
        center = LocationCenter(
            source: source, alarm.environment, board: board,
            capabilities: Capabilities(backgroundModes: modes))
        application = UIApplication(center: NotificationCenter(), clock: .mainQueue, board: board)
        host = CLLocationManager.Host(center: center)
        application.host.declare(Capabilities(backgroundModes: modes))
        if declaresUsage {
            host.declareUsage(whenInUse: "in use", alwaysAndWhenInUse: "always")
        }
        let log = log
        host.onAuthorizationRequest { request in
            log.add("prompt \(request.status) \(request.isUpgrade): \(request.usageDescription)")
        }
        host.setAuthorization(status)
    }

    /// A manager with a delegate that logs everything.
    func manager() -> (CLLocationManager, Listener) {
        let manager = CLLocationManager(center)
        let listener = Listener(log)
        manager.delegate = listener
        listeners.append(listener)
        return (manager, listener)
    }

    /// Waits for all that is on its way to the source and to the main queue.
    func settle() async {
        for _ in 0..<3 {
            center.settle()
            await withCheckedContinuation { continuation in
                DispatchQueue.main.async { continuation.resume() }
            }
        }
    }

    /// The source measures a place so many meters east of home.
    func measure(_ east: Double, accuracy: Double = 5) async {
        source.measure(Self.place(east), accuracy: accuracy)
        await settle()
    }

    nonisolated static func place(_ east: Double) -> CLLocationCoordinate2D {
        CLLocationCoordinate2D(
            latitude: home.latitude, longitude: home.longitude + east / 67_780)
    }

    /// Advances the time by `seconds`; what is due happens at its time.
    func advance(by seconds: Double) async {
        let end = alarm.now.boot + seconds
        await settle()
        while let due = alarm.due, due <= end {
            alarm.boot = max(due, alarm.now.boot)
            alarm.ring()
            await settle()
        }
        alarm.boot = end
    }
}

/// Lines, from any thread.
final class Log: Sendable {
    private let text = Mutex<[String]>([])

    var lines: [String] { text.withLock(\.self) }

    func add(_ line: String) { text.withLock { $0.append(line) } }

    /// The lines since the last call of this.
    func popLines() -> [String] {
        text.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// Logs what a manager reports.
final class Listener: NSObject, CLLocationManagerDelegate {
    let log: Log
    private(set) var locations: [CLLocation] = []
    private(set) var errors: [any Error] = []
    private(set) var visits: [CLVisit] = []

    init(_ log: Log) { self.log = log }

    func locationManager(
        _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
        dispatchPrecondition(condition: .onQueue(.main))
        self.locations += locations
        log.add("updated \(locations.count)")
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        errors.append(error)
        log.add("failed \((error as? CLError)?.code.rawValue ?? -1)")
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        log.add("authorization \(manager.authorizationStatus.rawValue)")
    }

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { log.add("paused") }

    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {
        log.add("resumed")
    }

    func locationManager(
        _ manager: CLLocationManager, didStartMonitoringFor region: CLRegion
    ) {
        log.add("monitoring \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) {
        let code = (error as? CLError)?.code.rawValue ?? -1
        log.add("not monitoring \(region?.identifier ?? "") \(code)")
    }

    func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        log.add("\(region.identifier) is \(state)")
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        log.add("entered \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        log.add("left \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        visits.append(visit)
        log.add(visit.departureDate == .distantFuture ? "arrived" : "departed")
    }
}

/// Time by hand, from 1000 s after the machine was started.
final class ManualAlarm: Alarm {
    private struct Setting {
        var due: Double?
        var body: (@Sendable () -> Void)?
    }

    private static let epoch = 1_795_424_400.0
    private let seconds = Mutex(1000.0)
    private let setting = Mutex(Setting())

    var environment: RefreshEnvironment {
        RefreshEnvironment(
            now: { [self] in now },
            alarm: { [self] body in
                setting.withLock { $0.body = body }
                return self
            }, seed: 1)
    }

    var boot: Double {
        get { seconds.withLock(\.self) }
        set { seconds.withLock { $0 = newValue } }
    }

    var now: ScheduleTime {
        let boot = boot
        return ScheduleTime(boot: boot, wall: Self.epoch + boot)
    }

    func set(boot: Double?, wall: Double?) { setting.withLock { $0.due = boot } }

    func stop() {}

    var due: Double? { setting.withLock(\.due) }

    func ring() {
        let body = setting.withLock { setting in
            setting.due = nil
            return setting.body
        }
        body?()
    }
}

/// A source that measures what a test says.
final class ScriptedSource: LocationSource {
    private struct State {
        var handler: (@Sendable (LocationSourceEvent) -> Void)?
        var calls: [String] = []
    }

    let kind = LocationSourceKind.gpsd
    private let alarm: ManualAlarm
    private let state = Mutex(State())

    init(_ alarm: ManualAlarm) { self.alarm = alarm }

    /// The calls that it got: "start -1 0" is by the best accuracy, for all fixes.
    var calls: [String] { state.withLock(\.calls) }

    func start(
        _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) {
        state.withLock { state in
            state.handler = handler
            state.calls.append("start \(Self.text(demand))")
        }
        handler(.state(.searching))
    }

    func change(_ demand: LocationDemand) {
        state.withLock { $0.calls.append("change \(Self.text(demand))") }
    }

    func stop() { state.withLock { $0.calls.append("stop") } }

    /// Sends an event, also after it was stopped.
    func send(_ event: LocationSourceEvent) { state.withLock(\.handler)?(event) }

    /// Measures a place, so many seconds ago.
    func measure(_ place: CLLocationCoordinate2D, accuracy: Double = 5, age: Double = 0) {
        let now = alarm.now
        send(
            .fix(
                LocationFix(
                    Coordinate(latitude: place.latitude, longitude: place.longitude),
                    horizontalAccuracy: accuracy, time: now.wall - age, arrival: now.boot,
                    source: .gpsd)))
    }

    private static func text(_ demand: LocationDemand) -> String {
        "\(Int(demand.accuracy.value)) \(Int(demand.distance))"
    }
}
