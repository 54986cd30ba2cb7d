import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// Formats devices.
enum OutputText {
    /// `Built-in Audio (Headphones), alsa_output.pci-0000_00_1f.3`, and the chosen device if it is
    /// another.
    static func route(_ outputs: Outputs) -> String {
        guard !outputs.isLost else { return lost(outputs) + choice(outputs) }
        guard let current = outputs.current else { return "no device" + choice(outputs) }
        let isChosen = outputs.chosen == nil || outputs.chosen == current.name
        return "\(name(current)), \(Columns.printable(current.name))"
            + (isChosen ? "" : choice(outputs))
    }

    /// One line per device, with a mark at the current one.
    static func list(_ outputs: Outputs) -> String {
        guard !outputs.isLost else { return lost(outputs) + choice(outputs) }
        guard !outputs.devices.isEmpty else { return "no device" + choice(outputs) }
        let names = Columns.aligned(outputs.devices.map { Columns.printable($0.name) })
        let lines = zip(outputs.devices, names).map { device, name in
            "\(device.isCurrent ? ">" : " ") \(name)  \(Self.name(device))" + remarks(device)
        }
        let isThere = outputs.devices.contains { $0.name == outputs.chosen }
        return lines.joined(separator: "\n") + (isThere ? "" : choice(outputs))
    }

    /// The result of choosing a device.
    static func chosen(_ outputs: Outputs) -> String {
        guard outputs.isLost else { return route(outputs) }
        let device = outputs.chosen.map { Columns.printable($0) } ?? "the default device"
        return "\(device), as soon as a sound server answers: \(reason(outputs))"
    }

    /// `Built-in Audio (Headphones)`
    static func name(_ device: Outputs.Device) -> String {
        "\(Columns.printable(device.description)) (\(device.port))"
    }

    private static func lost(_ outputs: Outputs) -> String { "no sound server: \(reason(outputs))" }

    private static func reason(_ outputs: Outputs) -> String {
        Columns.printable(outputs.lostReason ?? "unknown")
    }

    private static func choice(_ outputs: Outputs) -> String {
        outputs.chosen.map { "\nchosen: \(Columns.printable($0))" } ?? ""
    }

    /// `, muted`, `, volume 40`; empty for a device at full volume.
    static func loudness(_ device: Outputs.Device) -> String {
        if device.isMuted == true { return ", muted" }
        return device.volume < 100 ? ", volume \(numberText(device.volume))" : ""
    }

    private static func remarks(_ device: Outputs.Device) -> String {
        var remarks: [String] = []
        if device.isDefault { remarks.append("default") }
        if !device.isAvailable { remarks.append("not plugged in") }
        if device.isSuspended { remarks.append("suspended") }
        return remarks.map { ", \($0)" }.joined() + loudness(device)
    }
}
