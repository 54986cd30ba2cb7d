import CommandOptions
import Control
import Playback

/// Calls so plain that they can be read without the parser, which takes longer for them than all
/// that they do: the words of one command, the status, and `play` with files. What they mean is
/// defined where the parser's verbs have it; a test holds both to the same.
enum PlainCall: Equatable {
    case play(PlayRun)
    case command(Command.Verb, session: String, isJSON: Bool)
    case status(session: String, isJSON: Bool)

    /// Reads a call. Nil where it is not as plain as that, or wrong.
    init?(_ arguments: [String]) {
        guard let name = arguments.first, let plain = Plain(arguments.dropFirst()) else {
            return nil
        }
        if name == "play" {
            guard let run = try? plain.run else { return nil }
            self = .play(run)
            return
        }
        guard plain.files.isEmpty, plain.tellsTime else { return nil }
        if name == "status" {
            self = .status(session: plain.session, isJSON: plain.isJSON)
        } else if let verb = Command.Verb(rawValue: name) {
            self = .command(verb, session: plain.session, isJSON: plain.isJSON)
        } else {
            return nil
        }
    }

    /// Does it.
    func perform() throws {
        switch self {
        case .play(let run): try run.perform()
        case .command(let verb, let session, let isJSON):
            try Inquiry(session: session, isJSON: isJSON).perform(verb)
        case .status(let session, let isJSON):
            try Inquiry(session: session, isJSON: isJSON).showStatus()
        }
    }

    /// What may follow the verb.
    private struct Plain {
        var files: [FilePath] = []
        var session = SessionName.standard
        var isJSON = false
        var tellsTime = true

        init?(_ arguments: ArraySlice<String>) {
            var rest = arguments
            while let argument = rest.popFirst() {
                switch argument {
                case "--json": isJSON = true
                case "--no-time": tellsTime = false
                case "--session":
                    guard let name = rest.popFirst(), ControlSocket.isValid(session: name) else {
                        return nil
                    }
                    session = name
                default:
                    guard argument == "-" || !argument.hasPrefix("-") else { return nil }
                    files.append(FilePath(argument: argument))
                }
            }
        }

        var run: PlayRun {
            get throws(LocationError) {
                var run = PlayRun()
                if files.isEmpty { run.output = nil } else { run.files = try Files(named: files) }
                if !tellsTime { run.interval = nil }
                run.isJSON = isJSON
                run.session = session
                return run
            }
        }
    }
}
