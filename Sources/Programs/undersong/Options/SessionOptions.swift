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

    init() {}

    /// The session with a name that is valid.
    init(_ name: String) { text = name }

    func validate() throws {
        guard ControlSocket.isValid(session: text) else {
            throw ValidationError("A session's name has 1 to 64 letters, digits, '.', '_' and '-'.")
        }
    }
}

/// The session whose service is asked, and the form of the answer.
struct SessionOptions: ParsableArguments {
    @OptionGroup private var name: SessionName
    @Flag(help: "Print the answer as JSON.") var json = false

    init() {}

    /// The options of a call that was read without the parser.
    init(session: String = SessionName.standard, json: Bool) {
        name = SessionName(session)
        self.json = json
    }

    /// The session's name.
    var session: String { name.text }

    /// Connects to the service. `purpose` names the operation in errors: `seek`, `show the queue`.
    /// With `startsService`, one is started if none is running, and restores the last one's queue.
    func service(
        to purpose: String, startsService: Bool = true,
        _ receive: @escaping @Sendable (Notice) -> Void = { _ in }
    ) throws -> Service {
        try Service(to: purpose, session: session, startsService: startsService, receive)
    }

    /// Sends `call` to the service, as above, and shows the answer, as JSON or as `text` formats
    /// it.
    func ask<Call: ControlCall>(
        _ purpose: String, _ call: Call, startsService: Bool = true,
        _ text: (Call.Reply) -> String
    ) throws {
        let service = try service(to: purpose, startsService: startsService)
        let reply = try service.call(call)
        service.noteHolder()
        show(reply, text)
    }

    /// Shows `reply`, as JSON or as `text` formats it.
    func show<Reply: Encodable>(_ reply: Reply, _ text: (Reply) -> String) {
        let line = json ? JSONLine.text(of: reply) : text(reply)
        if !line.isEmpty { writeOutput(line + "\n") }
    }
}
