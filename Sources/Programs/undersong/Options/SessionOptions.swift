import ArgumentParser
import UndersongBase
import UndersongControl

/// The session whose service a verb talks to.
struct SessionName: ParsableArguments {
    /// The default session.
    static let standard = "default"

    @Option(
        name: .customLong("session"),
        help: ArgumentHelp("The session, if several run side by side.", valueName: "name"))
    var text = Self.standard

    func validate() throws {
        guard ControlSocket.isValid(session: text) else {
            throw ValidationError("A session's name has 1 to 64 letters, digits, '.', '_' and '-'.")
        }
    }
}

/// The session that a verb asks, and the form of the answer.
struct SessionOptions: ParsableArguments {
    @OptionGroup
    private var name: SessionName

    @Flag(help: "Print the answer as JSON.")
    var json = false

    /// The session's name.
    var session: String { name.text }

    /// The same as an `Inquiry`.
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

/// Sends requests to a session's service, and shows the answers.
struct Inquiry {
    /// The session's name.
    var session = SessionName.standard
    /// Whether answers are shown as JSON.
    var isJSON = false

    /// Sends `call` and shows the answer, as JSON or as `text` formats it. `purpose` names the
    /// operation in errors: `seek`, `show the queue`. If no service is running, `startsService`
    /// starts one, which restores the last one's queue.
    func ask<Call: ControlCall>(
        _ purpose: String, _ call: Call, startsService: Bool = false,
        _ text: (Call.Reply) -> String
    ) throws {
        let service = try Service(to: purpose, session: session, startsService: startsService)
        let reply = try service.call(call)
        service.noteHolder()
        show(reply, text)
    }

    /// Shows `reply`, as JSON or as `text` formats it.
    func show<Reply: Encodable>(_ reply: Reply, _ text: (Reply) -> String) {
        let line = isJSON ? JSONLine.text(of: reply) : text(reply)
        if !line.isEmpty { writeOutput(line + "\n") }
    }
}
