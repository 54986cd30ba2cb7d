import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongLinuxPlatform

/// The conditions of work in the background, from mocks of the system's services on a private bus.
@Suite(.blockingThreads, .serialized) struct `The watch of the machine` {
    @Test func `MachineWatch reports how far the network reaches, and what it may cost`() throws {
        let (mock, watch, states) = try started("network")
        #expect(try states.next().network == NetworkState(connectivity: .full))

        for (metered, isMetered) in [(1, true), (2, false), (3, true), (4, false)] {
            try mock.send("set network Metered u \(metered)")
            #expect(try states.next().network.isMetered == isMetered)
        }
        let levels: [(Int, NetworkState.Connectivity)] = [
            (1, .none), (2, .portal), (3, .limited), (0, .unknown), (4, .full),
        ]
        for (number, connectivity) in levels {
            try mock.send("set network Connectivity u \(number)")
            #expect(try states.next().network.connectivity == connectivity)
        }
        // Without a check for the Internet, the connectivity is always full.
        try mock.send("set network State u 20")
        #expect(try states.next().network.connectivity == .none)
        watch.stop()
    }

    @Test func `MachineWatch reports external power, and what the battery holds`() throws {
        let (mock, watch, states) = try started("power")
        #expect(try states.next().power == .external)

        try mock.send("set power OnBattery b true")
        #expect(try states.next().power == PowerState(isOnBattery: true))
        // The charge of a battery that is not there is 0.
        try mock.send("battery IsPresent b true")
        #expect(try states.next().power == PowerState(isOnBattery: true, charge: 0))
        try mock.send("battery Percentage d 19.5")
        #expect(try states.next().power.isLow)
        try mock.send("battery Percentage d 20")
        #expect(try !states.next().power.isLow)
        try mock.send("battery WarningLevel u 3")
        #expect(try states.next().power.isLow)
        try mock.send("set power OnBattery b false")
        #expect(try !states.next().power.isOnBattery)
        watch.stop()
    }

    @Test(arguments: ["profiles", "old-profiles"])
    func `MachineWatch reports that power is to be saved`(service: String) throws {
        let (mock, watch, states) = try started(service)
        #expect(try !states.next().power.isSavingPower)

        try mock.send("set \(service) ActiveProfile s power-saver")
        #expect(try states.next().power.isSavingPower)
        try mock.send("set \(service) ActiveProfile s performance")
        #expect(try !states.next().power.isSavingPower)
        watch.stop()
    }

    @Test func `MachineWatch reports that the machine sleeps and wakes`() throws {
        let (mock, watch, states) = try started("login")
        #expect(try !states.next().isSleeping)

        try mock.send("sleep true")
        #expect(try states.next().isSleeping)
        try mock.send("sleep false")
        #expect(try !states.next().isSleeping)
        watch.stop()
    }

    @Test func `MachineWatch notices services that start and end, and starts none`() throws {
        let mock = try MockProgram("mock-machine")
        let states = Inbox<MachineState>()
        let watch = watch(on: mock.address, states)
        #expect(try states.next() == Self.nothing)

        try mock.send("start network")
        let there = try states.next()
        #expect(there.network.connectivity == .full)
        #expect(there.fallbacks == [.power, .profiles])
        try mock.send("stop network")
        #expect(try states.next() == Self.nothing)
        watch.stop()
        #expect(states.rest == [])
    }

    @Test func `MachineWatch names the services that do not answer, of what it watches`() throws {
        let mock = try MockProgram("mock-machine")
        for service in ["network", "power", "old-profiles"] { try mock.send("start \(service)") }
        let states = Inbox<MachineState>()
        let all = watch(on: mock.address, states)
        #expect(try states.next().fallbacks == [])
        try mock.send("stop power")
        #expect(try states.next().fallbacks == [.power])
        all.stop()

        var configuration = MachineWatch.Configuration([.network], address: "unix:path=/nowhere")
        configuration.reconnectDelays = []
        let network = MachineWatch(configuration) { states.put($0) }
        #expect(try states.next().fallbacks == [.network])
        network.stop()
    }

    @Test func `MachineWatch believes nobody but the service itself`() throws {
        let (mock, watch, states) = try started("network")
        _ = try states.next()

        try mock.send("forge Connectivity u 1")
        try mock.send("set network Metered u 1")

        let next = try states.next().network
        #expect(next == NetworkState(connectivity: .full, isMetered: true))
        watch.stop()
    }

    @Test func `MachineWatch knows nothing when the bus is lost, and finds it again`() throws {
        let mock = try MockProgram("mock-machine")
        try mock.send("start network")
        try mock.send("set network Metered u 1")
        let states = Inbox<MachineState>()
        let watch = watch(on: mock.address, states, reconnectDelays: [0.01, 0.02, 0.1, 0.5, 2, 8])
        #expect(try states.next().network.isMetered)

        try mock.send("kill_bus")
        #expect(try states.next() == Self.nothing)
        try mock.send("start_bus")
        try mock.send("start network")

        while try states.next().network.connectivity != .full {}
        watch.stop()
    }

    @Test func `MachineWatch waits for the bus without a timer while nothing happens`() async {
        // Other tests of the same process have threads of that name.
        await #expect(processExitsWith: .success) {
            let (mock, watch, states) = try `The watch of the machine`().started("power")
            _ = try states.next()
            // By then all calls, whose replies it awaits with a timeout, are done.
            try mock.send("set power OnBattery b true")
            _ = try states.next()

            let wait = try Threads.waitForPoll(of: "machine")

            #expect(wait.timeout == "0x0")
            watch.stop()
        }
    }

    /// The state where nobody answers.
    private static var nothing: MachineState {
        var nothing = MachineState()
        nothing.fallbacks = [.network, .power, .profiles]
        return nothing
    }

    // MARK: Without UPower

    @Test func `MachineWatch reads the kernel's list of power supplies without UPower`() throws {
        let supplies = try Supplies()
        #expect(try supplies.state() == .external)
        try supplies.set(
            "hidpp_battery_0", ["type": "Battery", "scope": "Device", "capacity": "5"])
        try supplies.set("AC", ["type": "Mains", "online": "0"])
        #expect(try supplies.state() == .external)

        try supplies.set(
            "BAT0", ["type": "Battery", "status": "Discharging", "capacity": "60"])
        #expect(try supplies.state() == PowerState(isOnBattery: true, charge: 60))
        try supplies.set("BAT1", ["type": "Battery", "status": "Unknown", "capacity": "20"])
        #expect(try supplies.state() == PowerState(isOnBattery: true, charge: 40))
        try supplies.set("AC", ["type": "Mains", "online": "1"])
        #expect(try supplies.state() == PowerState(isOnBattery: false, charge: 40))
    }

    @Test func `MachineWatch looks regularly at a battery that nobody reports on`() throws {
        let supplies = try Supplies()
        try supplies.set("BAT0", ["type": "Battery", "status": "Charging", "capacity": "60"])
        let mock = try MockProgram("mock-machine")
        let states = Inbox<MachineState>()
        var configuration = supplies.configuration
        configuration.address = mock.address
        configuration.batteryInterval = 0.05
        let watch = MachineWatch(configuration) { states.put($0) }
        #expect(try states.next().power == PowerState(charge: 60))

        try supplies.set("BAT0", ["type": "Battery", "status": "Discharging", "capacity": "59"])

        // It may look between the two files.
        while try !states.next().power.isOnBattery {}
        watch.stop()
    }

    /// A folder like `/sys/class/power_supply`.
    private final class Supplies {
        let url = FileManager.default.temporaryDirectory.appending(path: "supplies-\(UUID())")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Reads it with nothing else to ask.
        var configuration: MachineWatch.Configuration {
            var configuration = MachineWatch.Configuration(address: "unix:path=\(url.path)/none")
            configuration.supplyFolder = url.path
            return configuration
        }

        func set(_ name: String, _ files: [String: String]) throws {
            let folder = url.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (file, value) in files {
                try (value + "\n").write(
                    to: folder.appending(path: file), atomically: true, encoding: .utf8)
            }
        }

        func state() throws -> PowerState {
            let states = Inbox<MachineState>()
            let watch = MachineWatch(configuration) { states.put($0) }
            defer { watch.stop() }
            return try states.next().power
        }
    }

    /// A started watch of a service.
    private func started(
        _ service: String
    ) throws -> (mock: MockProgram, watch: MachineWatch, states: Inbox<MachineState>) {
        let mock = try MockProgram("mock-machine")
        try mock.send("start \(service)")
        let states = Inbox<MachineState>()
        return (mock, watch(on: mock.address, states), states)
    }

    private func watch(
        on address: String, _ states: Inbox<MachineState>, reconnectDelays: [Double] = []
    ) -> MachineWatch {
        var configuration = MachineWatch.Configuration(address: address)
        configuration.supplyFolder = "/nonexistent"
        configuration.reconnectDelays = reconnectDelays
        return MachineWatch(configuration) { states.put($0) }
    }
}
