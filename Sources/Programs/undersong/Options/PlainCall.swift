import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Calls that are simple enough to read without the parser, which takes longer than the calls
/// themselves: the verbs of one word, the status, and `play` with files. The parser's verbs define
/// their meaning; a test compares both.
enum PlainCall: Equatable {
    case play(PlayRun)
    case command(PlayerCommand, session: String, isJSON: Bool)
    case status(session: String, isJSON: Bool)

    /// Parses a call. Nil if it is not that simple, or invalid.
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
        } else if let verb = PlayerCommand(rawValue: name) {
            self = .command(verb, session: plain.session, isJSON: plain.isJSON)
        } else {
            return nil
        }
    }

    /// Performs the call.
    func perform() throws {
        switch self {
        case .play(let run): try run.perform()
        case .command(let verb, let session, let isJSON):
            try SessionOptions(session: session, json: isJSON).perform(verb)
        case .status(let session, let isJSON):
            try SessionOptions(session: session, json: isJSON).showStatus()
        }
    }

    /// The arguments allowed after the verb.
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
                if files.isEmpty {
                    run.request.output = nil
                } else {
                    run.request.files = try Files(named: files)
                }
                if !tellsTime { run.interval = nil }
                run.isJSON = isJSON
                run.session = session
                return run
            }
        }
    }
}
