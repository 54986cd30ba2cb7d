import UndersongCommandOptions

/// Puts the command line into the order that the parser needs.
enum Arguments {
    /// The verbs whose value may begin with a minus sign.
    private static let signed = Set(
        ["seek"] + commandSettings.map { $0.texts }.filter(\.takesSigned).compactMap(\.verb?.name))
    /// The verbs of `queue` whose values may begin with a minus sign.
    private static let signedOfQueue: Set<String> = ["jump", "remove", "move"]
    /// The options of these verbs that take a value.
    private static let withValue: Set<String> = ["--session"]

    /// Turns `queue move -1 3 --json` into `queue move --json -- -1 3`, since a value with a minus
    /// sign would be taken for an option.
    static func ordered(_ arguments: [String]) -> [String] {
        // The table of settings takes time to build, so the cheaper checks come first.
        guard arguments.contains(where: isNegative), !arguments.contains("--"),
            let count = verbLength(arguments)
        else { return arguments }
        var (options, operands) = ([String](), [String]())
        var rest = arguments.dropFirst(count)
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), !isNegative(argument) else {
                operands.append(argument)
                continue
            }
            options.append(argument)
            if withValue.contains(argument), let value = rest.popFirst() { options.append(value) }
        }
        return Array(arguments.prefix(count)) + options + ["--"] + operands
    }

    /// The number of words of a verb that takes values with a sign; nil for any other verb.
    private static func verbLength(_ arguments: [String]) -> Int? {
        guard let verb = arguments.first else { return nil }
        if arguments.starts(with: ["location", "place", "add"]) { return 3 }
        if arguments.starts(with: ["location", "filter"]) { return 2 }
        if verb == "queue" {
            return arguments.count > 1 && signedOfQueue.contains(arguments[1]) ? 2 : nil
        }
        return signed.contains(verb) ? 1 : nil
    }

    /// Whether an argument is a number with a minus sign.
    static func isNegative(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), let second = argument.dropFirst().first else { return false }
        return second.isNumber || second == "."
    }
}

extension SettingTexts {
    /// Whether the setting's verb takes a number with a minus sign.
    fileprivate var takesSigned: Bool {
        verb?.step != nil || (row.wireRange?.lowerBound ?? 0) < 0
    }
}
