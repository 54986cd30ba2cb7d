import UndersongBackground
import UndersongBase

/// The machine's power supplies as the kernel lists them, for systems without UPower.
struct PowerSupplies {
    /// `/sys/class/power_supply`
    let folder: String

    /// True if the machine has a battery of its own; mice and the like do not count.
    var hasBattery: Bool { names.contains { isBattery($0) } }

    /// The state that the files describe: external power if there is no battery.
    var state: PowerState {
        let names = names
        let batteries = names.filter { isBattery($0) }
        let charges = batteries.compactMap { value("capacity", of: $0).flatMap(Double.init) }
        guard !batteries.isEmpty else { return .external }
        let isPlugged = names.contains { name in
            value("type", of: name) != "Battery" && value("online", of: name) == "1"
        }
        let isDischarging = batteries.contains { value("status", of: $0) == "Discharging" }
        return PowerState(
            isOnBattery: isDischarging && !isPlugged,
            charge: charges.isEmpty ? nil : charges.reduce(0, +) / Double(charges.count))
    }

    private func isBattery(_ name: String) -> Bool {
        value("type", of: name) == "Battery" && value("scope", of: name) != "Device"
            && value("present", of: name) != "0"
    }

    private var names: [String] {
        Folder.names(in: folder).filter { !$0.hasPrefix(".") }
    }

    /// The first line of a supply's file; nil if there is none.
    private func value(_ file: String, of name: String) -> String? {
        let line = KernelFile.line(of: "\(folder)/\(name)/\(file)")
        return line.isEmpty ? nil : line
    }
}
