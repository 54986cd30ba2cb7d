import Synchronization
import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongTransferIO

/// Watches the regions of programs that do not run, and starts a program when one of its regions is
/// entered or left (LO12). What is known survives this process.
final class RegionService: RequestService {
    static let methods: [String: Perform] = [
        WatchRegions.method: { service, request, connection throws(ControlError) in
            ControlReply(try service.open(request.decode(WatchRegions.self), connection))
        }
    ]

    typealias MakeSource =
        @Sendable (_ source: LocationSourceChoice, _ program: String) -> any LocationSource

    private struct Program {
        var record: RegionRecord
        /// The connection by which the program has handed the regions over: it watches them by itself.
        var owner: ControlConnection?
        /// The policy that watches them meanwhile.
        var host: LocationHost?
    }

    /// Seconds between looks at programs that watch their regions themselves.
    private static let lookSeconds = 15.0

    private let programs = Mutex<[String: Program]>([:])
    /// True if the next look is on its way.
    private let isLooking = Mutex(false)
    private let folder: RegionFolder
    private let clock: any HostClock
    private let makeSource: MakeSource
    private let launch: @Sendable ([String]) -> Void
    private let log: @Sendable (String) -> Void

    /// Creates a service, where `launch` starts a program, and `log` reports a failure.
    init(
        folder: String, clock: any HostClock, makeSource: @escaping MakeSource,
        launch: @escaping @Sendable ([String]) -> Void, log: @escaping @Sendable (String) -> Void
    ) {
        self.folder = RegionFolder(path: folder)
        self.clock = clock
        self.makeSource = makeSource
        self.launch = launch
        self.log = log
    }

    /// True while any regions are watched here.
    var isWatching: Bool { programs.withLock { $0.values.contains { $0.host != nil } } }

    /// Watches the regions that the last process has left.
    func restore() {
        for record in folder.load() {
            programs.withLock { $0[record.call.program] = Program(record: record) }
            watch(record.call.program)
        }
    }

    /// Closes all sources, for good.
    func stop() {
        for host in programs.withLock({ $0.values.compactMap(\.host) }) { host.end() }
    }

    func closed(_ connection: ControlConnection) {
        let left = programs.withLock { programs in
            let names = programs.filter { $0.value.owner == connection }.map(\.key)
            for name in names { programs[name]?.owner = nil }
            return names
        }
        for program in left { watch(program) }
    }

    private func open(
        _ call: WatchRegions, _ connection: ControlConnection
    ) throws(ControlError) -> WatchRegions.Reply {
        try Self.check(call)
        let old = programs.withLock { $0[call.program] }
        if let owner = old?.owner, owner != connection {
            throw ControlError(
                .inUse,
                "cannot watch the regions of \(call.program): Process \(owner.process) watches them"
            )
        }
        old?.host?.end()
        // With what was noticed until the end of its watch.
        let known = programs.withLock { $0[call.program] }
        guard !call.regions.isEmpty else {
            programs.withLock { $0[call.program] = nil }
            folder.forget(call.program)
            return WatchRegions.Reply(changed: [])
        }
        // A program that ends before it has handled a change gets it again.
        let changed = known?.owner == nil ? known?.record.changes(for: call) ?? [] : []
        let record = RegionRecord(call: call, changed: changed)
        // Without the disk, it is watched until this process ends.
        keep(record)
        programs.withLock { $0[call.program] = Program(record: record, owner: connection) }
        lookLater()
        return WatchRegions.Reply(changed: changed)
    }

    // MARK: Programs that are stopped

    /// Looks at the owners in a while. Nothing reports that a program was stopped.
    private func lookLater() {
        guard programs.withLock({ $0.values.contains { $0.owner != nil } }),
            isLooking.withLock({ isLooking in
                defer { isLooking = true }
                return !isLooking
            })
        else { return }
        _ = clock.wake(after: Self.lookSeconds, leeway: 2_000_000_000) { [weak self] in
            guard let self else { return }
            isLooking.withLock { $0 = false }
            leaveStopped()
            lookLater()
        }
    }

    /// Closes the connections of owners that are stopped, so that their regions are watched here. They
    /// connect again when they are continued.
    private func leaveStopped() {
        for owner in programs.withLock({ $0.values.compactMap(\.owner) })
        where ProcessCondition(of: owner.process)?.activity == .stopped {
            owner.close(reason: "It is stopped")
        }
    }

    private static func check(_ call: WatchRegions) throws(ControlError) {
        let purpose = "cannot watch the regions of \(call.program): "
        let name = call.program
        guard (1...100).contains(name.utf8.count), !name.hasPrefix("."),
            !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else {
            throw ControlError(
                .invalidParams, purpose + "A name has 1 to 100 bytes and is that of a file")
        }
        try Check.launch(call.launch, purpose)
        var monitor = RegionMonitor()
        for region in call.regions {
            if let fault = monitor.start(region.region) {
                throw ControlError(
                    .invalidParams, purpose + "\(region.region.identifier): \(fault.reason)")
            }
        }
        try Check.source(call.source)
    }

    private func keep(_ record: RegionRecord) {
        let code = folder.keep(record)
        guard code != 0 else { return }
        log("cannot keep the regions of \(record.call.program): \(SystemError(code).reason)")
    }

    // MARK: Watching

    /// Watches the regions of a program that has gone, by a policy that is always allowed to: it has
    /// no regions otherwise.
    private func watch(_ name: String) {
        programs.withLock { programs in
            guard let program = programs[name], program.owner == nil else { return }
            let source = makeSource(program.record.call.source, name)
            let host = LocationHost(
                LocationPolicy.Record(status: .always, regions: program.record.regions),
                label: "undersong.regions", now: { [clock] in clock.locationTime },
                alarm: { [clock] ring in HostAlarm(clock, leeway: 100_000_000, ring) },
                source: { source })
            host.begin { [weak self] effects, policy in
                guard effects.contains(.save) else { return }
                self?.update(
                    policy.watchedRegions, isCrossing: effects.contains(where: \.isCrossing),
                    of: name
                )
            }
            host.post(.host(isForeground: false))
            host.post(.declared(hasBackgroundMode: false, LocationUsage(always: "")))
            programs[name]?.host = host
        }
    }

    private func update(_ regions: [WatchedRegion], isCrossing: Bool, of name: String) {
        let record = programs.withLock { programs -> RegionRecord? in
            guard programs[name]?.owner == nil else { return nil }
            programs[name]?.record.update(regions)
            return programs[name]?.record
        }
        guard let record else { return }
        keep(record)
        if isCrossing { launch(record.call.launch) }
    }
}

extension LocationPolicy.Effect {
    fileprivate var isCrossing: Bool {
        if case .region(let event) = self { event.phase != .determined } else { false }
    }
}
