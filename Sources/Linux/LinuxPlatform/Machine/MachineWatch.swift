import CUndersongLinux
import Dispatch
import Glibc
import Synchronization
package import UndersongBackground
import UndersongBase

/// Reports the machine's network (NetworkManager), its power (UPower, and the power profiles), and
/// that it sleeps and wakes (logind).
///
/// It has a thread of its own, which sleeps without a timer while nothing changes, except on a
/// machine with a battery and without UPower: there it looks at the battery once a minute. Services
/// that are not running are not started, and noticed when they start. If the bus is lost, it tries
/// again a few times. Any thread may call the methods, except that the handler must not call `stop`.
package final class MachineWatch: Sendable {
    /// The aspects of the machine that can be watched.
    package enum Aspect: CaseIterable, Sendable {
        /// Reports `MachineState.network`.
        case network
        /// Reports `MachineState.power`.
        case power
        /// Reports `MachineState.isSleeping`.
        case sleep
    }

    /// The aspects to watch, and their sources.
    package struct Configuration: Sendable {
        package var aspects: Set<Aspect>
        /// The D-Bus address of the bus; nil for the system bus.
        package var address: String?
        /// The folder in which the kernel lists power supplies.
        package var supplyFolder = "/sys/class/power_supply"
        /// Seconds to wait before each attempt to reconnect to a lost bus.
        package var reconnectDelays: [Double] = [1, 2, 4, 8, 16, 32]
        /// Seconds between looks at a battery whose changes are not reported.
        package var batteryInterval = 60.0

        package init(_ aspects: Set<Aspect> = Set(Aspect.allCases), address: String? = nil) {
            self.aspects = aspects
            self.address = address
        }
    }

    private struct State {
        var isStopping = false
        /// The socket that the thread is waiting on.
        var connection: Int32?
        /// The state that was reported last.
        var reported: MachineState?
    }

    private let configuration: Configuration
    private let handler: @Sendable (MachineState) -> Void
    private let state = Mutex(State())
    private let wakeup = Wakeup()
    private let stopping = DispatchSemaphore(value: 0)
    private let ended = Semaphore()

    /// Starts to watch. `handler` is called with the first state, once that is known, and with each
    /// new one, on the watch's thread.
    package init(
        _ configuration: Configuration = Configuration(),
        handler: @escaping @Sendable (MachineState) -> Void
    ) {
        self.configuration = configuration
        self.handler = handler
        startThread(named: "machine") { [self] in
            run()
            ended.post()
        }
    }

    /// Ends the thread; the handler is no longer called once this returns. Called once.
    package func stop() {
        state.withLock { state in
            state.isStopping = true
            if let connection = state.connection { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        wakeup.post()
        stopping.signal()
        ended.wait()
    }

    private func run() {
        var delays: ArraySlice<Double> = []
        repeat {
            if follow() { delays = configuration.reconnectDelays[...] }
            report([:])
        } while pause(delays.popFirst())
    }

    /// Waits before the next attempt. Returns false if there is none.
    private func pause(_ delay: Double?) -> Bool {
        guard let delay = delay ?? batteryDelay([:]) else { return false }
        guard !state.withLock(\.isStopping) else { return false }
        return stopping.wait(timeout: .now() + delay) == .timedOut
    }

    /// Follows the services until the bus is lost. Returns whether there was a bus.
    private func follow() -> Bool {
        guard var session = PropertySession(objects, address: configuration.address),
            admit(session.descriptor)
        else { return false }
        defer { state.withLock { $0.connection = nil } }
        guard session.begin() else { return false }
        repeat {
            report(session.values)
        } while session.follow(or: wakeup, within: batteryDelay(session.values))
            && !state.withLock(\.isStopping)
        return true
    }

    private func admit(_ connection: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.connection = connection
            return true
        }
    }

    private var objects: [WatchedObject] {
        var objects: [WatchedObject] = []
        if configuration.aspects.contains(.network) { objects.append(.networkManager) }
        if configuration.aspects.contains(.power) {
            objects += [.power, .battery, .profiles, .oldProfiles]
        }
        if configuration.aspects.contains(.sleep) { objects.append(.login) }
        return objects
    }

    private var supplies: PowerSupplies { PowerSupplies(folder: configuration.supplyFolder) }

    /// Seconds until the battery is to be looked at; nil if its changes are reported, or there is
    /// none.
    private func batteryDelay(_ values: [WatchedObject: [String: BusValue]]) -> Double? {
        guard configuration.aspects.contains(.power), values[.power]?["OnBattery"] == nil,
            supplies.hasBattery
        else { return nil }
        return configuration.batteryInterval
    }

    private func fallbacks(
        _ values: [WatchedObject: [String: BusValue]]
    ) -> Set<MachineFallback> {
        var fallbacks: Set<MachineFallback> = []
        if configuration.aspects.contains(.network), values[.networkManager] == nil {
            fallbacks.insert(.network)
        }
        guard configuration.aspects.contains(.power) else { return fallbacks }
        if values[.power]?["OnBattery"] == nil { fallbacks.insert(.power) }
        if values[.profiles] == nil, values[.oldProfiles] == nil { fallbacks.insert(.profiles) }
        return fallbacks
    }

    private func report(_ values: [WatchedObject: [String: BusValue]]) {
        var machine = MachineState()
        machine.network = NetworkState(values[.networkManager])
        machine.fallbacks = fallbacks(values)
        if configuration.aspects.contains(.power) {
            machine.power =
                PowerState(values[.power], battery: values[.battery]) ?? supplies.state
            machine.power.isSavingPower =
                PowerState.isSaving(values[.profiles]) || PowerState.isSaving(values[.oldProfiles])
        }
        if case .boolean(let isSleeping)? = values[.login]?["PrepareForSleep"] {
            machine.isSleeping = isSleeping
        }
        let isNew = state.withLock { state in
            guard state.reported != machine, !state.isStopping else { return false }
            state.reported = machine
            return true
        }
        if isNew { handler(machine) }
    }
}

extension NetworkState {
    /// The state that NetworkManager's properties describe; unknown if it is not running.
    init(_ properties: [String: BusValue]?) {
        self.init()
        if case .uint32(let number)? = properties?["Connectivity"] {
            connectivity =
                switch number {
                case 1: .none
                case 2: .portal
                case 3: .limited
                case 4: .full
                default: .unknown
                }
        }
        // Where it does not check for the Internet, its state still says that there is no network:
        // asleep, or disconnected.
        if case .uint32(let number)? = properties?["State"], number == 10 || number == 20 {
            connectivity = .none
        }
        // 1 is yes, 3 is what NetworkManager guesses to be yes.
        if case .uint32(let number)? = properties?["Metered"] {
            isMetered = number == 1 || number == 3
        }
    }
}

extension PowerState {
    /// The state that the properties of UPower and its batteries describe; nil if UPower is not
    /// running.
    init?(_ power: [String: BusValue]?, battery: [String: BusValue]?) {
        guard case .boolean(let isOnBattery)? = power?["OnBattery"] else { return nil }
        self.init(isOnBattery: isOnBattery)
        guard case .boolean(true)? = battery?["IsPresent"] else { return }
        if case .double(let charge)? = battery?["Percentage"] { self.charge = charge }
        // 3 is low, 4 critical; at 5 the machine is about to be switched off.
        if case .uint32(let level)? = battery?["WarningLevel"] { warnsOfLowCharge = level >= 3 }
    }

    /// Returns true if the properties of the power profiles say that power is to be saved.
    static func isSaving(_ profiles: [String: BusValue]?) -> Bool {
        profiles?["ActiveProfile"] == .string("power-saver")
    }
}
