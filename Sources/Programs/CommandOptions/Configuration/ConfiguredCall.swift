package import ArgumentParser

/// A call of a program, with the defaults of the configuration file for what it does not say.
package struct ConfiguredCall {
    /// The arguments as they were given.
    package let given: [String]
    /// The arguments with the defaults after the verb.
    package let arguments: [String]
    private let path: String
    /// The number of words that name the verb.
    private let length: Int
    private let defaults: [(option: DefaultOption, arguments: [String])]
    private let verbs: [any ParsableCommand.Type]

    /// `verbs` is only looked at if there is a configuration file.
    package init(
        _ given: [String], _ configuration: Configuration?,
        verbs: @autoclosure () -> [any ParsableCommand.Type]
    ) {
        self.given = given
        let words = Array(given.prefix { !$0.hasPrefix("-") })
        let implied = configuration.flatMap { _ in Self.impliedVerb(of: words, in: verbs()) }
        let named = words + [implied].compactMap(\.self)
        let names = configuration?.options.keys.filter {
            named.starts(with: $0.split(separator: " ").map(String.init))
        }
        let name = names?.max { $0.count < $1.count }
        let rest = given.dropFirst(min(name?.split(separator: " ").count ?? 0, words.count))
        let asksForHelp = rest.prefix { $0 != "--" }.contains { ["--help", "-h"].contains($0) }
        guard let configuration, let name, !asksForHelp else {
            (arguments, path, length, defaults, self.verbs) = (given, "", 0, [], [])
            return
        }
        let all = verbs()
        let verb = Self.verb(name, in: all)
        path = configuration.path
        length = given.count - rest.count
        defaults = (configuration.options[name] ?? []).filter { !$0.isGiven(in: rest) }
            .map { ($0, $0.arguments(of: verb)) }
        self.verbs = all
        arguments = given.dropLast(rest.count) + defaults.flatMap(\.arguments) + rest
    }

    /// The verb that is meant after `words` without being written, as `list` is after `queue`; nil
    /// if there is none.
    private static func impliedVerb(
        of words: [String], in verbs: [any ParsableCommand.Type]
    ) -> String? {
        verb(words.joined(separator: " "), in: verbs)?.configuration.defaultSubcommand?
            .configuration.commandName
    }

    /// The error of the first default that makes a call wrong which is right without it; nil if
    /// none does.
    package var error: ConfigurationError? {
        guard !defaults.isEmpty, Self.problem(given, verbs) == nil else { return nil }
        for (option, words) in defaults {
            let call = given.prefix(length) + words + given.dropFirst(length)
            if let problem = Self.problem(Array(call), verbs) {
                return ConfigurationError(path, option.line, "\(problem) ('\(option.name)')")
            }
        }
        return Self.problem(arguments, verbs).map {
            ConfigurationError(path, defaults.first?.option.line, $0)
        }
    }

    /// The verb that these words name, separated by spaces.
    package static func verb(
        _ name: String, in verbs: [any ParsableCommand.Type]
    ) -> (any ParsableCommand.Type)? {
        var found: (any ParsableCommand.Type)?
        var known = verbs
        for word in name.split(separator: " ") {
            found = known.first { $0.configuration.commandName == String(word) }
            known = found?.configuration.subcommands ?? []
        }
        return found
    }

    /// The problem of a call, in one line; nil if it is right.
    package static func problem(
        _ call: [String], _ verbs: [any ParsableCommand.Type]
    ) -> String? {
        guard let type = call.first.flatMap({ verb($0, in: verbs) }) else { return "No such verb" }
        do {
            _ = try type.parseAsRoot(Array(call.dropFirst()))
            return nil
        } catch {
            return UsageError.problem(in: type.message(for: error))
        }
    }
}

extension DefaultOption {
    /// The arguments that stand for it. An option that is off is given as `--no-NAME`, or
    /// not at all if the verb has no such option.
    package func arguments(of verb: (any ParsableCommand.Type)?) -> [String] {
        switch values {
        case .switched(true): ["--" + name]
        case .switched(false):
            verb?.helpMessage().contains("--no-\(name)") == true ? ["--no-" + name] : []
        case .texts(let texts): texts.map { "--\(name)=\($0)" }
        }
    }
}
