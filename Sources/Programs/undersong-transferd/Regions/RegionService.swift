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
        /// Who has handed the regions over, and watches them by itself.
        var host: ControlConnection?
        var watch: RegionWatch?
    }

    private let programs = Mutex<[String: Program]>([:])
    private let folder: RegionFolder
    private let clock: any HostClock
    private let makeSource: MakeSource
    private let launch: @Sendable ([String]) -> Void
    private let log: @Sendable (String) -> Void

    /// `launch` starts a program, and `log` takes what has gone wrong.
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

    /// Whether any regions are watched here.
    var isWatching: Bool { programs.withLock { $0.values.contains { $0.watch != nil } } }

    /// Watches what the last process has left.
    func restore() {
        for record in folder.load() {
            programs.withLock { $0[record.call.program] = Program(record: record) }
            watch(record.call.program)
        }
    }

    /// Closes all sources, for good.
    func stop() {
        for program in programs.withLock({ $0.values.map(\.self) }) { program.watch?.stop() }
    }

    func closed(_ connection: ControlConnection) {
        let left = programs.withLock { programs in
            let names = programs.filter { $0.value.host == connection }.map(\.key)
            for name in names { programs[name]?.host = nil }
            return names
        }
        for program in left { watch(program) }
    }

    private func open(
        _ call: WatchRegions, _ connection: ControlConnection
    ) throws(ControlError) -> WatchRegions.Reply {
        try Self.check(call)
        let known = programs.withLock { $0[call.program] }
        if let host = known?.host, host != connection {
            throw ControlError(
                .inUse,
                "cannot watch the regions of \(call.program): Process \(host.process) has them")
        }
        known?.watch?.stop()
        guard !call.regions.isEmpty else {
            programs.withLock { $0[call.program] = nil }
            folder.forget(call.program)
            return WatchRegions.Reply(changed: [])
        }
        // What the host has not taken in before it ends is said to the next one again.
        let changed = known?.host == nil ? known?.record.changes(for: call) ?? [] : []
        let record = RegionRecord(call: call, changed: changed)
        // Without the disk, it is watched until this process ends.
        keep(record)
        programs.withLock { $0[call.program] = Program(record: record, host: connection) }
        return WatchRegions.Reply(changed: changed)
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

    /// Watches the regions of a program that has gone.
    private func watch(_ name: String) {
        programs.withLock { programs in
            guard let program = programs[name], program.host == nil else { return }
            let call = program.record.call
            programs[name]?.watch = RegionWatch(
                program.record.regions, makeSource(call.source, name), clock: clock
            ) { [weak self] regions, isCrossing in
                self?.update(regions, isCrossing, of: name)
            }
        }
    }

    private func update(_ regions: [WatchedRegion], _ isCrossing: Bool, of name: String) {
        let record = programs.withLock { programs -> RegionRecord? in
            guard programs[name]?.host == nil else { return nil }
            programs[name]?.record.update(regions)
            return programs[name]?.record
        }
        guard let record else { return }
        keep(record)
        if isCrossing { launch(record.call.launch) }
    }
}
