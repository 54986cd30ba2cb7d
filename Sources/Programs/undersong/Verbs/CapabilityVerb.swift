import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// `undersong capability`: shows which background modes are declared, or declares one.
struct CapabilityVerb: Verb {
    static let configuration = described(
        "capability", "Show or change the declared background modes.",
        discussion: """
            Declarations are written to ~/.config/undersong/Info.plist and take effect at once. \
            Background tasks also need a permitted identifier.

            Examples:
              undersong capability audio on
              undersong capability audio toggle
              undersong capability permit net.undersong.refresh
              undersong capability withdraw net.undersong.refresh
            """)

    /// The thing to be changed.
    enum Subject: Equatable {
        case mode(BackgroundMode)
        /// An identifier of background tasks.
        case permit, withdraw

        static func parse(_ text: String) throws -> Subject {
            switch text {
            case "permit": .permit
            case "withdraw": .withdraw
            default: .mode(try BackgroundMode.parse(text))
            }
        }
    }

    @Argument(
        help: "A mode, such as audio; or permit or withdraw, with an identifier.",
        completion: .list(BackgroundMode.allCases.map(\.rawValue) + ["permit", "withdraw"]),
        transform: Subject.parse)
    var subject: Subject?

    @Argument(
        help: "on, off or toggle for a mode; or the identifier, such as net.undersong.refresh.",
        completion: .list(Self.words))
    var value: String?

    @OptionGroup var options: SessionOptions

    /// The words for a mode.
    private static let words = Switch.allCases.map(\.rawValue) + ["toggle"]

    func validate() throws {
        switch subject {
        case .mode:
            if let value { _ = try chosen(value, among: Self.words) }
        case .permit, .withdraw:
            guard let value, !value.isEmpty else {
                throw ValidationError("Name an identifier, such as net.undersong.refresh.")
            }
        case nil: break
        }
    }

    func perform() throws {
        switch (subject, value) {
        case (nil, _), (.mode, nil), (.permit, nil), (.withdraw, nil):
            try options.ask("show the capabilities", GetCapabilities(), text)
        case (.mode(let mode), "toggle"): try change(DeclareMode(toggling: mode))
        case (.mode(let mode), let value?):
            try change(DeclareMode(mode, on: try Switch.parse(value).isOn))
        case (.permit, let identifier?): try change(PermitIdentifier(identifier, on: true))
        case (.withdraw, let identifier?): try change(PermitIdentifier(identifier, on: false))
        }
    }

    private func change<Call: ControlCall>(_ call: Call) throws
    where Call.Reply == CapabilityStatus {
        try options.ask("change the capability", call, text)
    }

    private func text(_ reply: CapabilityStatus) -> String {
        let modes = reply.modes.filter { entry in
            if case .mode(let mode)? = subject { entry.mode == .known(mode) } else { true }
        }
        let names = Columns.aligned(modes.map(\.mode.word))
        let rows = zip(modes, names).map { entry, name in
            let state = entry.declared ? "on" : "off"
            return entry.supported
                ? "\(name)  \(state)" : "\(name)  \(Columns.padded(state, to: 5))(no effect here)"
        }
        let source = reply.source == "none" ? "no manifest" : Columns.printable(reply.source)
        let permitted = reply.permitted.map { "permitted: \(Columns.printable($0))" }
        return (rows + permitted + ["declared in: \(source)"]).joined(separator: "\n")
    }
}

extension BackgroundMode: Choice {}
