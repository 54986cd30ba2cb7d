public import Foundation
import UndersongAppHost
import UndersongBackground

extension UIApplication.Host {
    /// The conditions of the machine that decide whether background tasks run.
    public struct MachineConditions: Hashable, Sendable {
        /// The reach of the network.
        public enum Network: Hashable, Sendable {
            /// Nobody says: tasks that need the network try it.
            case unknown
            /// There is none.
            case none
            /// The Internet is not reachable, for example because of a captive portal.
            case limited
            /// The Internet is reachable.
            case full
        }

        /// The reach of the network.
        public var network = Network.unknown
        /// True if the machine runs on its battery.
        public var isOnBattery = false
        /// The charge of the battery in percent; nil without a battery. On battery, nothing is
        /// fetched below 20.
        public var batteryLevel: Double?
        /// True if the user has asked the machine to save power.
        public var isLowPowerModeEnabled = false
        /// True if the machine is about to sleep.
        public var isSleeping = false
        /// True if the user leaves the machine alone, which processing waits for; nil if nobody
        /// says.
        public var isIdle: Bool?
        /// True if something is playing, which processing waits for to end.
        public var isPlaying = false
        /// The work that waits for each processor, averaged over a minute; nil if it is unknown.
        /// From 0.5 on nothing new is processed.
        public var load: Double?

        /// Nothing is in the way.
        public init() {}
    }

    /// Reports the conditions of the machine, whenever they change, for a program that knows better.
    ///
    /// Without a call, they are watched by themselves from the first request on: the network by
    /// NetworkManager, power by UPower and the power profiles, sleep and idleness by logind, and
    /// the load. What does not answer is not in the way. Nobody but the program knows whether it
    /// plays.
    public func setMachineConditions(_ conditions: MachineConditions) {
        application.refresh.report(conditions.report)
    }

    /// Keeps in `file` what `setMinimumBackgroundFetchInterval(_:)` and `BGTaskScheduler` were asked
    /// for, and what was learned about the user's day; takes in what an earlier process has left
    /// there. Without a file, both end with the process.
    ///
    /// Called once, before the application launches, in one process at a time. The folder has to
    /// exist. If it cannot be written, this throws; if that happens later, a message says so.
    public func keepBackgroundTasks(in file: URL) throws {
        let path = file.path(percentEncoded: false)
        guard let reason = application.refresh.keep(in: path) else { return }
        throw CocoaError(
            .fileWriteUnknown,
            userInfo: [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: reason])
    }

    /// The time at which a background task is next due; nil if there is none, or something has to
    /// change first.
    ///
    /// A program that ends when it may be suspended has itself started again then, by a timer of
    /// systemd for example, and launches into the background.
    public var nextBackgroundTaskDate: Date? {
        application.refresh.nextDue.map(Date.init(timeIntervalSince1970:))
    }

    /// Simulates a background fetch (K1): an application that is in front goes to the background,
    /// and fetches there.
    public func simulateBackgroundFetch() {
        application.fetch(.simulate) { enter(.background) }
    }

    /// Calls `handler` on the main actor when the system would take a snapshot of the application's
    /// interface: after it has left the foreground, and after each run of a background task (K4).
    public func onSnapshot(_ handler: @escaping () -> Void) {
        application.snapshotHandler = handler
    }

    /// Calls `handler` on the main actor with messages of what the scheduler of background tasks
    /// does (N3), and of what an application has done wrong, such as calling a completion handler
    /// twice (F12).
    public func onBackgroundTaskMessage(_ handler: @escaping (String) -> Void) {
        application.messageHandler = handler
    }
}

extension UIApplication.Host.MachineConditions {
    /// The same for the scheduler.
    fileprivate var report: RefreshHost.Report {
        var machine = MachineState()
        machine.network.connectivity =
            switch network {
            case .unknown: .unknown
            case .none: .none
            case .limited: .limited
            case .full: .full
            }
        machine.power = PowerState(isOnBattery: isOnBattery, charge: batteryLevel)
        machine.power.isSavingPower = isLowPowerModeEnabled
        machine.isSleeping = isSleeping
        return .program(machine, isIdle: isIdle, isPlaying: isPlaying, load: load)
    }
}

extension RefreshAvailability {
    init(_ status: UIBackgroundRefreshStatus) {
        switch status {
        case .restricted: self = .restricted
        case .denied: self = .denied
        case .available: self = .available
        }
    }
}
