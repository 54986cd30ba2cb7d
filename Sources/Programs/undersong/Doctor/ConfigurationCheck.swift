import ArgumentParser
import UndersongCommandOptions

/// Checks the configuration file.
enum ConfigurationCheck {
    private static let subject = "configuration"

    /// The finding for the user's own file.
    static func finding() -> Finding {
        guard let path = Configuration.usualPath else {
            return .note(subject, "neither XDG_CONFIG_HOME nor HOME says where it would be")
        }
        do throws(ConfigurationError) {
            guard let configuration = try Configuration.found() else {
                return .note(
                    subject, "there is no \(path), which is needed only for your own defaults")
            }
            return finding(configuration)
        } catch {
            return wrong(error)
        }
    }

    /// The finding for a file that can be read.
    static func finding(_ configuration: Configuration) -> Finding {
        if let error = error(in: configuration) { return wrong(error) }
        let names = configuration.verbs + (configuration.keys.isEmpty ? [] : ["keys"])
        let text = names.isEmpty ? "nothing" : names.joined(separator: ", ")
        return .good(subject, "\(configuration.path) has defaults for \(text)")
    }

    /// What is wrong in the file: a section, an option, a value or a key; nil if nothing is. The
    /// options of verbs that undersongd performs are checked by that program.
    static func error(in configuration: Configuration) -> ConfigurationError? {
        if let error = Undersong.unknownSection(in: configuration) { return error }
        for name in configuration.verbs where !Undersong.isHandedOn(name) {
            for option in configuration.options[name] ?? [] {
                if let error = error(of: option, of: name, in: configuration) { return error }
            }
        }
        do throws(ConfigurationError) {
            _ = try KeyMap(configuration)
            return nil
        } catch {
            return error
        }
    }

    private static func error(
        of option: DefaultOption, of name: String, in configuration: Configuration
    ) -> ConfigurationError? {
        guard let verb = ConfiguredCall.verb(name, in: Undersong.verbs) else { return nil }
        let names = optionNames(of: verb)
        guard names.contains(option.name) else {
            return ConfigurationError(
                configuration.path, option.line,
                "\(name) has no option '\(option.name)'"
                    + Suggestion.text(for: option.name, among: names))
        }
        let words = name.split(separator: " ").map(String.init)
        let call = words + option.arguments(of: verb)
        let problem = ConfiguredCall.problem(call, Undersong.verbs)
        // A verb that needs more than options is wrong without it in any case.
        guard let problem, problem != ConfiguredCall.problem(words, Undersong.verbs) else {
            return nil
        }
        return ConfigurationError(configuration.path, option.line, problem)
    }

    /// The names of the options, as the help lists them.
    private static func optionNames(of verb: any ParsableCommand.Type) -> [String] {
        verb.helpMessage().matches(of: #/--([a-z0-9][a-z0-9-]*)/#).map { String($0.1) }
    }

    private static func wrong(_ error: ConfigurationError) -> Finding {
        .wrong(
            subject, error.description.replacing("cannot use ", with: "", maxReplacements: 1),
            "correct it; until then the verbs that it concerns refuse to run")
    }
}
