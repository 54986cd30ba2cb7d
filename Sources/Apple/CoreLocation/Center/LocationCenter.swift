import Dispatch
import Foundation
import Synchronization
package import UndersongAppHost
package import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform
package import UndersongLocation
package import UndersongTransferClient

/// The policy of locations that all managers of a process share, with its source, its file and its
/// clients.
///
/// Any thread may use it; delegates are called on the main queue.
package final class LocationCenter: Sendable {
    /// The center of this process.
    package static let shared: LocationCenter = {
        let center = LocationCenter(
            source: CLLocationManager.Host.geoClue, .system(clock: SystemClock()), board: .shared)
        center.declare(.declared(in: .main))
        return center
    }()

    /// The date now, in seconds since 1970.
    static var wallTime: Double { SystemClock().secondsSinceEpoch }

    struct State {
        var usage = LocationUsage()
        var capabilities: Capabilities
        var managers: [Int: Manager] = [:]
        var lastNumber = 0
        /// The notices that managers have yet to get, in order.
        var notices: [Notice] = []
        /// True if places are simulated, in place of another source.
        var isSimulating: Bool
        var promptHandler: (@MainActor @Sendable (LocationAuthorization.Prompt) -> Void)?
        var messageHandler: (@MainActor @Sendable (String) -> Void)?
        /// The file in which the authorization and the regions survive the process.
        var file: RecordFile<LocationPolicy.Record>?
        /// The source after the end of this process, as the program has chosen it.
        var laterSource = LocationSourceChoice.geoClue
        var handover: RegionHandover?
    }

    struct Manager {
        weak var manager: CLLocationManager?
    }

    /// A notice, which is delivered on the main queue.
    enum Notice {
        case created(Int)
        /// The authorization has changed; managers after this one were created with it.
        case authorized(upTo: Int)
        case effect(LocationPolicy.Effect)
        case message(String)
    }

    let state: Mutex<State>
    private let board: HostStateBroadcaster
    private let simulation: SimulatedSource
    /// The policy. Its queue waits for nothing but the disk.
    private let host: LocationHost

    /// Creates a center whose host is in the foreground. Without a source, places are simulated.
    package init(
        source: (any LocationSource)? = nil, _ environment: RefreshEnvironment,
        board: HostStateBroadcaster, capabilities: Capabilities = .declared(in: .main)
    ) {
        let simulation = SimulatedSource(now: environment.now)
        self.simulation = simulation
        self.board = board
        state = Mutex(State(capabilities: capabilities, isSimulating: source == nil))
        host = LocationHost(
            label: "locations",
            now: {
                let now = environment.now()
                return LocationTime(boot: now.boot, wall: now.wall)
            }, alarm: environment.alarm, source: { source ?? simulation })
        host.begin { [weak self] in self?.perform($0, $1) }
        declare(LocationUsage())
        board.read { [weak self] in self?.follow($0) }
        board.readWakes { [weak self] reason, done in
            let handover = self?.state.withLock(\.handover)
            guard reason == .location, let handover else { return done() }
            handover.ask(done)
        }
    }

    deinit { state.withLock(\.handover)?.end() }

    private func follow(_ notice: HostStateBroadcaster.Notice) {
        let usage = state.withLock { state in
            state.capabilities = notice.capabilities
            return state.usage
        }
        declare(usage)
        handle(.host(isForeground: notice.applicationState != .background))
    }

    // MARK: The host

    /// Declares the usage of places.
    package func declare(_ usage: LocationUsage) {
        let hasMode = state.withLock { state in
            state.usage = usage
            return state.capabilities.backgroundModes.contains(.location)
        }
        handle(.declared(hasBackgroundMode: hasMode, usage))
        host.read { handOver($0) }
    }

    /// True if the background mode `location` is declared.
    var hasBackgroundMode: Bool {
        state.withLock { $0.capabilities.backgroundModes.contains(.location) }
    }

    /// Measures by another source from now on; after the end of this process by `laterSource`, if
    /// that is another one, too.
    package func setSource(
        _ source: any LocationSource, later laterSource: LocationSourceChoice? = nil
    ) {
        state.withLock { state in
            state.isSimulating = source.kind == .simulation
            if let laterSource { state.laterSource = laterSource }
        }
        host.read { handOver($0) }
        host.replaceSource { source }
    }

    /// Simulates a place from now on.
    func simulate(_ location: CLLocation) {
        if !state.withLock(\.isSimulating) { setSource(simulation) }
        simulation.report(LocationFix(location))
    }

    /// Keeps the authorization and the regions in a file from now on, after those in it are
    /// restored. Returns the reason if that cannot be done.
    package func keep(in path: String) -> String? {
        let file = RecordFile<LocationPolicy.Record>(path)
        let (record, damage) = file.load()
        if let damage { post(.message(damage)) }
        if let record { handle(.restore(record)) }
        return host.read { policy in
            state.withLock { $0.file = file }
            handOver(policy)
            // Also if the policy has changed meanwhile.
            return policy.record == record ? nil : Self.write(policy.record, to: file)
        }
    }

    /// Lets the regions be watched after the end of this process.
    package func handOver(to launch: [String], as program: String, _ location: TransferLocation) {
        let call = WatchRegions(
            program: program, launch: launch, source: .geoClue, regions: [])
        let handover = RegionHandover(
            call, location, clock: SystemClock(),
            observe: { [weak self] regions in
                for region in regions {
                    self?.handle(.observed(region.region.identifier, region.state))
                }
            }, report: { [weak self] in self?.post(.message($0)) },
            pend: { [board] in board.setHandover(isPending: $0) })
        let old = state.withLock { state in
            defer { state.handover = handover }
            return state.handover
        }
        old?.end()
        host.read { handOver($0) }
    }

    /// Shows a message.
    package func report(_ message: String) { post(.message(message)) }

    /// Hands over the regions of the policy as it is, on its queue.
    private func handOver(_ policy: LocationPolicy) {
        let (handover, source) = state.withLock { ($0.handover, $0.laterSource) }
        let isAllowed = policy.status == .always && policy.usage.isDeclared
        handover?.update(source, isAllowed ? policy.watchedRegions : [])
    }

    // MARK: Managers

    func makeNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// A manager exists: its delegate gets the authorization.
    func add(_ manager: CLLocationManager) {
        let number = manager.number
        state.withLock { $0.managers[number] = Manager(manager: manager) }
        post(.created(number))
    }

    func remove(_ number: Int) {
        state.withLock { $0.managers[number] = nil }
        host.post(.left(number))
    }

    var lastFix: LocationFix? { host.policy.lastFix }

    var status: LocationAuthorization.Status { host.policy.status }

    var regions: [CircularRegion] { host.policy.watchedRegions.map(\.region) }

    // MARK: The policy

    /// Handles an input. Its effects on the source and the file have happened when this returns;
    /// delegates are called later.
    package func handle(_ input: LocationPolicy.Input) {
        host.handle(input)
        board.setLocations(areReceived: host.policy.isDelivering)
    }

    /// Waits until all events that sources have sent so far are handled.
    package func settle() { host.settle() }

    /// Performs effects on the policy's queue.
    private func perform(_ effects: [LocationPolicy.Effect], _ policy: LocationPolicy) {
        board.setLocations(areReceived: policy.isDelivering)
        for effect in effects {
            switch effect {
            case .save: save(policy)
            case .authorized:
                state.withLock { $0.notices.append(.authorized(upTo: $0.lastNumber)) }
            default: state.withLock { $0.notices.append(.effect(effect)) }
            }
        }
        notify()
    }

    private func save(_ policy: LocationPolicy) {
        defer { handOver(policy) }
        guard let file = state.withLock(\.file),
            let trouble = Self.write(policy.record, to: file)
        else { return }
        state.withLock { $0.notices.append(.message(trouble)) }
    }

    /// Writes the file, durably. Returns the reason if that is not possible.
    private static func write(
        _ record: LocationPolicy.Record, to file: RecordFile<LocationPolicy.Record>
    ) -> String? {
        let code = file.save(record)
        guard code != 0 else { return nil }
        return "cannot keep locations in \(file.path): \(SystemError(code).reason)"
    }

    // MARK: The main queue

    private func post(_ notice: Notice) {
        state.withLock { $0.notices.append(notice) }
        notify()
    }

    private func notify() {
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated { self?.deliver() }
        }
    }

    @MainActor private func deliver() {
        while let notice = state.withLock({ $0.notices.isEmpty ? nil : $0.notices.removeFirst() }) {
            notify(notice)
        }
    }

    /// Reports a notice to a manager, or to all of them.
    @MainActor private func notify(_ notice: Notice) {
        switch notice {
        case .created(let number):
            notify(number) { $0.delegate?.locationManagerDidChangeAuthorization($0) }
        case .authorized(let last):
            for manager in managers where manager.number <= last {
                manager.delegate?.locationManagerDidChangeAuthorization(manager)
            }
        case .message(let text): state.withLock(\.messageHandler)?(text)
        case .effect(let effect): notify(effect)
        }
    }

    @MainActor private func notify(_ effect: LocationPolicy.Effect) {
        switch effect {
        case .deliver(let fix, let number): notify(number) { $0.report(CLLocation(fix)) }
        case .fail(let failure, let number):
            notify(number) { $0.delegate?.locationManager($0, didFailWithError: CLError(failure)) }
        case .sourceFailed(let reason):
            state.withLock(\.messageHandler)?("no source measures places: \(reason)")
        case .paused(let number):
            notify(number) { $0.delegate?.locationManagerDidPauseLocationUpdates($0) }
        case .resumed(let number):
            notify(number) { $0.delegate?.locationManagerDidResumeLocationUpdates($0) }
        case .visit(let visit, let number):
            notify(number) { $0.delegate?.locationManager($0, didVisit: CLVisit(visit)) }
        case .prompt(let prompt): state.withLock(\.promptHandler)?(prompt)
        case .refused(let fix, let fault):
            state.withLock(\.messageHandler)?(
                "a fix from \(fix.source.rawValue) was ignored: it is \(fault.description)")
        case .watching(let identifier, let number):
            guard let region = region(identifier) else { return }
            notify(number) { $0.delegate?.locationManager($0, didStartMonitoringFor: region) }
        case .notWatching(let region, let failure, let number):
            notify(number) { manager in
                manager.delegate?.locationManager(
                    manager, monitoringDidFailFor: CLCircularRegion(region),
                    withError: CLError(failure))
            }
        case .regionState(let identifier, let state, let number):
            guard let region = region(identifier) else { return }
            notify(number) {
                $0.delegate?.locationManager(
                    $0, didDetermineState: CLRegionState(state), for: region)
            }
        case .region(let event):
            guard event.phase != .determined else { return }
            notifyOfCrossing(event.region, CLRegionState(event.side))
        case .open, .change, .close, .save, .authorized: break
        }
    }

    @MainActor private func notifyOfCrossing(_ identifier: String, _ state: CLRegionState) {
        guard let region = region(identifier) else { return }
        for manager in managers {
            manager.delegate?.locationManager(manager, didDetermineState: state, for: region)
            if state == .inside {
                manager.delegate?.locationManager(manager, didEnterRegion: region)
            } else {
                manager.delegate?.locationManager(manager, didExitRegion: region)
            }
        }
    }

    private func region(_ identifier: String) -> CLCircularRegion? {
        regions.first { $0.identifier == identifier }.map { CLCircularRegion($0) }
    }

    /// All managers, the oldest first.
    private var managers: [CLLocationManager] {
        state.withLock { state in
            state.managers.sorted { $0.key < $1.key }.compactMap(\.value.manager)
        }
    }

    @MainActor private func notify(_ number: Int, _ body: (CLLocationManager) -> Void) {
        let manager = state.withLock { $0.managers[number]?.manager }
        if let manager { body(manager) }
    }
}
