import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Puts the command line into the order that the parser needs.
enum Arguments {
    /// The verbs whose value may begin with a minus sign.
    private static let signed = Set(
        ["seek"] + commandSettings.map { $0.texts }.filter(\.takesSigned).compactMap(\.verb?.name))
    /// The verbs of `queue` whose values may begin with a minus sign.
    private static let signedOfQueue: Set<String> = ["jump", "remove", "move"]
    /// The verbs of `queue` and `library` whose values may be queries, with `-word` in them.
    private static let queriesOfQueue: Set<String> = ["search", "crop"]
    private static let queriesOfLibrary: Set<String> = [
        "artists", "albums", "tracks", "genres", "years", "composers", "new", "random", "history",
        "save",
    ]
    /// The options of these verbs that take a value.
    private static let withValue: Set<String> = ["--session", "--format", "--limit", "--by"]

    /// A verb whose values may begin with a minus sign.
    private struct SignedVerb {
        /// The number of its words.
        var length: Int
        /// True if its values may be queries, otherwise they are numbers.
        var takesQuery = false

        /// True if an argument is a value with a minus sign, not an option.
        func isValue(_ argument: String) -> Bool {
            guard takesQuery else { return isNegative(argument) }
            return isExclusion(argument)
        }
    }

    /// Turns `queue move -1 3 --json` into `queue move --json -- -1 3`, since a value with a minus
    /// sign would be taken for an option.
    static func ordered(_ arguments: [String]) -> [String] {
        // The table of settings takes time to build, so the cheaper checks come first.
        guard arguments.contains(where: isExclusion), !arguments.contains("--"),
            let verb = signedVerb(arguments), arguments.contains(where: verb.isValue)
        else { return arguments }
        var (options, operands) = ([String](), [String]())
        var rest = arguments.dropFirst(verb.length)
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), !verb.isValue(argument) else {
                operands.append(argument)
                continue
            }
            options.append(argument)
            if withValue.contains(argument), let value = rest.popFirst() { options.append(value) }
        }
        return Array(arguments.prefix(verb.length)) + options + ["--"] + operands
    }

    /// The verb, if it takes values with a sign; nil for any other one.
    private static func signedVerb(_ arguments: [String]) -> SignedVerb? {
        guard let verb = arguments.first else { return nil }
        if arguments.starts(with: ["location", "place", "add"]) { return SignedVerb(length: 3) }
        if arguments.starts(with: ["location", "filter"]) { return SignedVerb(length: 2) }
        let word = arguments.count > 1 ? arguments[1] : ""
        switch verb {
        case "queue" where signedOfQueue.contains(word): return SignedVerb(length: 2)
        case "queue" where queriesOfQueue.contains(word),
            "library" where queriesOfLibrary.contains(word):
            return SignedVerb(length: 2, takesQuery: true)
        case "queue", "library": return nil
        case "rating", "favourite": return SignedVerb(length: 1, takesQuery: true)
        default: return signed.contains(verb) ? SignedVerb(length: 1) : nil
        }
    }

    /// True if an argument may be a part of a query that excludes something, such as `-live`.
    private static func isExclusion(_ argument: String) -> Bool {
        argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.count > 1
            && argument != "-h"
    }

    /// True if an argument is a number with a minus sign.
    static func isNegative(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), let second = argument.dropFirst().first else { return false }
        return second.isNumber || second == "."
    }
}

extension SettingTexts {
    /// True if the setting's verb takes a number with a minus sign.
    fileprivate var takesSigned: Bool { verb?.step != nil || (row.wireRange?.lowerBound ?? 0) < 0 }
}

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
