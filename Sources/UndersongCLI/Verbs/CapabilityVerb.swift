import ArgumentParser
import CommandOptions
import Control

/// `undersong capability`: shows which background modes are declared, or declares one.
struct CapabilityVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "capability",
        abstract: "Show the declared background modes, declare one, or withdraw it.",
        discussion: "The declaration is written to the user's manifest and takes effect at once.")

    /// The keys of `UIBackgroundModes`.
    enum Mode: String, Choice {
        case audio, location, voip
        case externalAccessory = "external-accessory"
        case bluetoothCentral = "bluetooth-central"
        case bluetoothPeripheral = "bluetooth-peripheral"
        case fetch
        case remoteNotification = "remote-notification"
        case processing
    }

    @Argument(
        help: "A mode, such as audio.", completion: Mode.completion, transform: Mode.parse)
    var mode: Mode?

    @Argument(
        help: "Declare it or withdraw it: on, off.", completion: Switch.completion,
        transform: Switch.parse)
    var value: Switch?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        guard let mode, let value else {
            return try options.ask("show the capabilities", Capability(), startsService: true, text)
        }
        try options.ask(
            "change the capability", Capability(mode.rawValue, on: value.isOn),
            startsService: true, text)
    }

    private func text(_ reply: Capability.Reply) -> String {
        let modes = reply.modes.filter { mode == nil || $0.mode == mode?.rawValue }
        let width = modes.map(\.mode.count).max() ?? 0
        let rows = modes.map { entry in
            let gap = String(repeating: " ", count: width - entry.mode.count)
            let support = entry.supported ? "" : "  (no effect here)"
            return "\(entry.mode)\(gap)  \(entry.declared ? "on " : "off")\(support)"
        }
        let source = reply.source == "none" ? "no manifest" : Columns.printable(reply.source)
        return (rows + ["declared in: \(source)"]).joined(separator: "\n")
    }
}
