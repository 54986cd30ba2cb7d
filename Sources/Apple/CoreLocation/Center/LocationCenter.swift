import Dispatch
import Foundation
import Synchronization
package import UndersongAppHost
package import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform
package import UndersongLocation
package import UndersongTransferClient

/// What all managers of a process share: the shell around a `LocationDesk`.
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
        var desk: LocationDesk
        var usage = LocationUsage()
        var capabilities: Capabilities
        var managers: [Int: Manager] = [:]
        var lastNumber = 0
        /// What managers have yet to be notified of, in order.
        var notices: [Notice] = []
        var source: any LocationSource
        /// Counts the starts of sources, so that what a stopped one still sends is ignored.
        var generation = 0
        var promptHandler: (@MainActor @Sendable (LocationAuthorization.Prompt) -> Void)?
        var messageHandler: (@MainActor @Sendable (String) -> Void)?
        /// The file in which the authorization and the regions survive the process.
        var file: RecordFile<LocationDesk.Record>?
        /// What measures after the end of this process, as the program has chosen it.
        var laterSource = LocationSourceChoice.geoClue
        var handover: RegionHandover?
    }

    struct Manager {
        weak var manager: CLLocationManager?
    }

    /// What is reported on the main queue.
    enum Notice {
        case created(Int)
        /// The authorization has changed; managers after this one were created with it.
        case authorized(upTo: Int)
        case effect(LocationDesk.Effect)
        case message(String)
    }

    let state: Mutex<State>
    private let simulation: SimulatedSource
    private let environment: RefreshEnvironment
    /// Made when something is due for the first time.
    private let alarm = Mutex<(any Alarm)?>(nil)
    /// On which inputs are handled, one after the other. It waits for nothing but the disk.
    private let queue = DispatchQueue(label: "locations")

    /// Creates a center whose host is in the foreground. Without a source, places are simulated.
    package init(
        source: (any LocationSource)? = nil, _ environment: RefreshEnvironment,
        board: HostStateBroadcaster, capabilities: Capabilities = .declared(in: .main)
    ) {
        self.environment = environment
        simulation = SimulatedSource(now: environment.now)
        state = Mutex(
            State(
                desk: LocationDesk(), capabilities: capabilities, source: source ?? simulation))
        declare(LocationUsage())
        board.read { [weak self] in self?.take($0) }
    }

    deinit {
        alarm.withLock { $0.take() }?.stop()
        state.withLock(\.handover)?.end()
    }

    private func take(_ notice: HostStateBroadcaster.Notice) {
        let usage = state.withLock { state in
            state.capabilities = notice.capabilities
            return state.usage
        }
        declare(usage)
        handle(.host(isForeground: notice.applicationState != .background))
    }

    // MARK: The host

    /// Declares what places are needed for.
    package func declare(_ usage: LocationUsage) {
        let hasMode = state.withLock { state in
            state.usage = usage
            return state.capabilities.backgroundModes.contains(.location)
        }
        handle(.declared(hasBackgroundMode: hasMode, usage))
        queue.sync { handOver() }
    }

    /// Whether the background mode `location` is declared.
    var hasBackgroundMode: Bool {
        state.withLock { $0.capabilities.backgroundModes.contains(.location) }
    }

    /// Measures by another source from now on; after the end of this process by `laterSource`, if
    /// that is another one, too.
    package func setSource(
        _ source: any LocationSource, later laterSource: LocationSourceChoice? = nil
    ) {
        queue.sync {
            let (old, demand) = state.withLock { state in
                defer { state.source = source }
                if let laterSource { state.laterSource = laterSource }
                return (state.source, state.desk.demand)
            }
            handOver()
            guard let demand else { return }
            old.stop()
            perform(.replaced, at: time)
            start(source, demand)
        }
    }

    /// Simulates a place from now on.
    func simulate(_ location: CLLocation) {
        if state.withLock({ $0.source.kind != .simulation }) { setSource(simulation) }
        simulation.report(LocationFix(location))
    }

    /// Keeps the authorization and the regions in a file from now on, and takes in what is there.
    /// Returns why that cannot be done.
    package func keep(in path: String) -> String? {
        let file = RecordFile<LocationDesk.Record>(path)
        let (record, damage) = file.load()
        if let damage { post(.message(damage)) }
        return queue.sync {
            let now = time
            let (usage, hasMode, isForeground) = state.withLock { state in
                state.file = file
                let hasMode = state.capabilities.backgroundModes.contains(.location)
                return (state.usage, hasMode, state.desk.isForeground)
            }
            guard let record else { return Self.write(state.withLock(\.desk.record), to: file) }
            state.withLock { $0.desk = LocationDesk(record) }
            perform(.host(isForeground: isForeground), at: now)
            perform(.declared(hasBackgroundMode: hasMode, usage), at: now)
            handOver()
            return nil
        }
    }

    /// Lets the regions be watched after the end of this process.
    package func handOver(to launch: [String], as program: String, _ location: TransferLocation) {
        let call = WatchRegions(
            program: program, launch: launch, source: .geoClue, regions: [])
        let handover = RegionHandover(
            call, location, clock: SystemClock(),
            take: { [weak self] regions in
                for region in regions {
                    self?.handle(.observed(region.region.identifier, region.state))
                }
            }, report: { [weak self] in self?.post(.message($0)) })
        let old = state.withLock { state in
            defer { state.handover = handover }
            return state.handover
        }
        old?.end()
        queue.sync { handOver() }
    }

    /// On `queue`.
    private func handOver() {
        let (handover, source, desk) = state.withLock {
            ($0.handover, $0.laterSource, $0.desk)
        }
        let isAllowed = desk.status == .always && desk.usage.isDeclared
        handover?.update(source, isAllowed ? desk.watchedRegions : [])
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
        queue.async { self.perform(.left(number), at: self.time) }
    }

    var lastFix: LocationFix? { state.withLock(\.desk.lastFix) }

    var status: LocationAuthorization.Status { state.withLock(\.desk.status) }

    var regions: [CircularRegion] { state.withLock(\.desk.watchedRegions).map(\.region) }

    // MARK: The desk

    var time: LocationTime {
        let now = environment.now()
        return LocationTime(boot: now.boot, wall: now.wall)
    }

    /// Handles an input. Its effects on the source and the file have happened when this returns;
    /// delegates are called later.
    package func handle(_ input: LocationDesk.Input) {
        queue.sync { perform(input, at: time) }
    }

    /// Waits until what sources have sent so far is handled.
    package func settle() { queue.sync {} }

    /// On `queue`.
    private func perform(_ input: LocationDesk.Input, at now: LocationTime) {
        let effects = state.withLock { $0.desk.handle(input, at: now) }
        for effect in effects {
            switch effect {
            case .open(let demand): start(state.withLock(\.source), demand)
            case .change(let demand): state.withLock(\.source).change(demand)
            case .close: stop()
            case .save: save()
            case .authorized:
                state.withLock { $0.notices.append(.authorized(upTo: $0.lastNumber)) }
            default: state.withLock { $0.notices.append(.effect(effect)) }
            }
        }
        notify()
    }

    private func start(_ source: any LocationSource, _ demand: LocationDemand) {
        let generation = state.withLock { state in
            state.generation += 1
            return state.generation
        }
        source.start(demand) { [weak self] event in
            guard let self else { return }
            queue.async {
                guard self.state.withLock(\.generation) == generation else { return }
                self.perform(.source(event), at: self.time)
            }
        }
    }

    private func stop() {
        let source = state.withLock { state in
            state.generation += 1
            return state.source
        }
        source.stop()
    }

    private func save() {
        let (file, record) = state.withLock { ($0.file, $0.desk.record) }
        defer { handOver() }
        guard let file, let trouble = Self.write(record, to: file) else { return }
        state.withLock { $0.notices.append(.message(trouble)) }
    }

    /// Writes the file, durably. Returns why that is not possible.
    private static func write(
        _ record: LocationDesk.Record, to file: RecordFile<LocationDesk.Record>
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
            MainActor.assumeIsolated {
                self?.deliver()
                self?.setAlarm()
            }
        }
    }

    @MainActor private func deliver() {
        while let notice = state.withLock({ $0.notices.isEmpty ? nil : $0.notices.removeFirst() }) {
            notify(notice)
        }
    }

    @MainActor private func setAlarm() {
        let due = state.withLock(\.desk.nextDue)
        alarm.withLock { alarm in
            if alarm == nil, due != nil {
                alarm = environment.alarm { [weak self] in
                    DispatchQueue.main.async { self?.handle(.timePassed) }
                }
            }
            alarm?.set(boot: due, wall: nil)
        }
    }
}
