import Playback

/// Puts the command line into the order that the parser needs.
enum Arguments {
    /// The verbs whose value may begin with a minus sign.
    private static let signed = Set(
        ["seek"]
            + SettingTable.rows.compactMap(\.names.verb).filter { $0.step != nil }.map(\.name))
    /// The verbs of `queue` whose value may begin with a minus sign.
    private static let signedOfQueue: Set<String> = ["jump", "remove", "move"]

    /// Turns `seek -10 --json` into `seek --json -- -10`, since the value would be taken for an
    /// option.
    static func ordered(_ arguments: [String]) -> [String] {
        // The table of settings takes time to build, so the cheaper checks come first.
        guard let index = arguments.firstIndex(where: isNegative), !arguments.contains("--"),
            takesSigned(arguments)
        else { return arguments }
        var rest = arguments
        let value = rest.remove(at: index)
        return rest + ["--", value]
    }

    private static func takesSigned(_ arguments: [String]) -> Bool {
        guard let verb = arguments.first else { return false }
        guard verb == "queue", arguments.count > 1 else { return signed.contains(verb) }
        return signedOfQueue.contains(arguments[1])
    }

    private static func isNegative(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), let second = argument.dropFirst().first else { return false }
        return second.isNumber || second == "."
    }
}
