import ArgumentParser
import UndersongCommandOptions
import UndersongControl

/// `undersong capability`: shows which background modes are declared, or declares one.
struct CapabilityVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "capability",
        abstract: "Show or change the declared background modes.",
        discussion: """
            Declarations are written to ~/.config/undersong/Info.plist and take effect at once. \
            Background tasks also need a permitted identifier.

            Examples:
              undersong capability audio on
              undersong capability permit net.undersong.refresh
              undersong capability withdraw net.undersong.refresh
            """)

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

    /// What is to be changed.
    enum Subject: Equatable {
        case mode(Mode)
        /// An identifier of background tasks.
        case permit, withdraw

        static func parse(_ text: String) throws -> Subject {
            switch text {
            case "permit": .permit
            case "withdraw": .withdraw
            default: .mode(try Mode.parse(text))
            }
        }
    }

    @Argument(
        help: "A mode, such as audio; or permit or withdraw, with an identifier.",
        completion: .list(Mode.allCases.map(\.rawValue) + ["permit", "withdraw"]),
        transform: Subject.parse)
    var subject: Subject?

    @Argument(help: "on or off for a mode; or the identifier, such as net.undersong.refresh.")
    var value: String?

    @OptionGroup var options: SessionOptions

    func validate() throws {
        switch subject {
        case .mode:
            guard value.map({ Switch(rawValue: $0) != nil }) ?? true else {
                throw ValidationError("'\(value ?? "")' is not on or off.")
            }
        case .permit, .withdraw:
            guard let value, !value.isEmpty else {
                throw ValidationError("Name an identifier, such as net.undersong.refresh.")
            }
        case nil: break
        }
    }

    func perform() throws {
        guard let call = try change else {
            return try options.ask("show the capabilities", Capability(), startsService: true, text)
        }
        try options.ask("change the capability", call, startsService: true, text)
    }

    private var change: Capability? {
        get throws {
            guard let value else { return nil }
            return switch subject {
            case .mode(let mode): Capability(mode.rawValue, on: try Switch.parse(value).isOn)
            case .permit: Capability(identifier: value, on: true)
            case .withdraw: Capability(identifier: value, on: false)
            case nil: nil
            }
        }
    }

    private func text(_ reply: Capability.Reply) -> String {
        let modes = reply.modes.filter { entry in
            if case .mode(let mode)? = subject { entry.mode == mode.rawValue } else { true }
        }
        let width = modes.map(\.mode.count).max() ?? 0
        let rows = modes.map { entry in
            let gap = String(repeating: " ", count: width - entry.mode.count)
            let state = entry.declared ? "on" : "off"
            guard !entry.supported else { return "\(entry.mode)\(gap)  \(state)" }
            let stateGap = entry.declared ? "   " : "  "
            return "\(entry.mode)\(gap)  \(state)\(stateGap)(no effect here)"
        }
        let source = reply.source == "none" ? "no manifest" : Columns.printable(reply.source)
        let permitted = (reply.permitted ?? []).map { "permitted: \(Columns.printable($0))" }
        return (rows + permitted + ["declared in: \(source)"]).joined(separator: "\n")
    }
}
