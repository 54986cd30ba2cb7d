import ArgumentParser
import Control

/// Which service a verb talks to.
struct SessionName: ParsableArguments {
    /// The session that counts where none is named.
    static let standard = "default"

    @Option(name: .customLong("session"), help: "The session, if several run side by side.")
    var text = Self.standard

    func validate() throws {
        guard ControlSocket.isValid(session: text) else {
            throw ValidationError("A session's name has 1 to 64 letters, digits, '.', '_' and '-'.")
        }
    }
}

/// Which service a verb asks, and how it shows what that answers.
struct SessionOptions: ParsableArguments {
    @OptionGroup
    private var name: SessionName

    @Flag(help: "Print the answer as JSON.")
    var json = false

    /// The session's name.
    var session: String { name.text }

    /// As `Inquiry` wants it.
    var inquiry: Inquiry { Inquiry(session: session, isJSON: json) }

    /// See `Inquiry.ask`.
    func ask<Call: ControlCall>(
        _ purpose: String, _ call: Call, startsService: Bool = false,
        _ text: (Call.Reply) -> String
    ) throws {
        try inquiry.ask(purpose, call, startsService: startsService, text)
    }

    /// See `Inquiry.show`.
    func show<Reply: Encodable>(_ reply: Reply, _ text: (Reply) -> String) {
        inquiry.show(reply, text)
    }
}

/// Asks a session's service, and shows what it answers.
struct Inquiry {
    /// The session's name.
    var session = SessionName.standard
    /// Whether answers are shown as JSON.
    var isJSON = false

    /// Asks for `call` and shows the answer: as JSON, or as `text` makes it. `purpose` says what for
    /// where it fails: `seek`, `show the queue`. Where no service runs, `startsService` starts one,
    /// which has the queue that the last one had.
    func ask<Call: ControlCall>(
        _ purpose: String, _ call: Call, startsService: Bool = false,
        _ text: (Call.Reply) -> String
    ) throws {
        let service = try Service(to: purpose, session: session, startsService: startsService)
        show(try service.call(call), text)
    }

    /// Shows `reply`: as JSON, or as `text` makes it.
    func show<Reply: Encodable>(_ reply: Reply, _ text: (Reply) -> String) {
        let line = isJSON ? JSONText.line(reply) : text(reply)
        if !line.isEmpty { writeAll(line + "\n", to: 1) }
    }
}
