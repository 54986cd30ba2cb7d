import ArgumentParser
import Control

/// Which service a verb talks to.
struct SessionName: ParsableArguments {
    @Option(name: .customLong("session"), help: "The session, where several run side by side.")
    var text = "default"

    func validate() throws {
        guard ControlSocket.isValid(session: text) else {
            throw ValidationError("A session's name has 1 to 64 letters, digits, '.', '_' and '-'.")
        }
    }
}

/// Which service a verb asks, and how it tells what that answers.
struct SessionOptions: ParsableArguments {
    @OptionGroup
    private var name: SessionName

    @Flag(help: "Tell the answer as JSON.")
    var json = false

    /// The session's name.
    var session: String { name.text }

    /// Asks the session's service for `call` and tells the answer: as JSON, or as `text` makes it.
    /// `purpose` says what for where it fails: `seek`, `show the queue`.
    func ask<Call: ControlCall>(
        _ purpose: String, _ call: Call, descriptors: [Int32] = [],
        _ text: (Call.Reply) -> String
    ) throws {
        let service = try Service(to: purpose, session: session)
        tell(try service.call(call, descriptors: descriptors), text)
    }

    /// Tells `reply`: as JSON, or as `text` makes it.
    func tell<Reply: Encodable>(_ reply: Reply, _ text: (Reply) -> String) {
        let line = json ? JSONText.line(reply) : text(reply)
        if !line.isEmpty { writeAll(line + "\n", to: 1) }
    }
}
