import ArgumentParser
import FoundationEssentials
import UndersongBackground
import UndersongCommandOptions

/// Checks the capability manifest, a property list with Apple's keys.
enum ManifestCheck {
    private static let subject = "manifest"

    /// The finding for the user's own manifest.
    static func finding(home: String?) -> Finding {
        guard let folder = Environment["XDG_CONFIG_HOME"] ?? home.map({ $0 + "/.config" }) else {
            return .wrong(subject, "there is no home folder", "set HOME to your folder")
        }
        let path = folder + "/undersong/Info.plist"
        guard FileFacts(path) != nil else {
            return .note(
                subject, "there is no \(path): the one that came with the program is used",
                "'undersong capability audio on' declares background audio")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            return .wrong(subject, "\(path) cannot be read", "chmod 600 '\(path)'")
        }
        return finding(path, data)
    }

    /// The finding for the manifest at `path`, which contains `data`.
    static func finding(_ path: String, _ data: Data) -> Finding {
        guard let manifest = try? PropertyListDecoder().decode(AppManifest.self, from: data)
        else {
            return .wrong(
                subject, "\(path) is not a property list with UIBackgroundModes, a list of strings",
                "remove it, and 'undersong capability audio on' writes a new one")
        }
        let known = BackgroundMode.allCases.map(\.rawValue)
        let modes = manifest.modes
        if let strange = modes.first(where: { !known.contains($0) }) {
            let meant = Suggestion.text(for: strange, among: known)
            return .wrong(
                subject, "\(path) declares '\(strange)', which is not a background mode\(meant)",
                "correct it; the other modes are used meanwhile")
        }
        if modes.contains("fetch"), manifest.permitted.isEmpty {
            return .note(
                subject, "\(path) declares fetch, but permits no identifier: nothing is fetched",
                "undersong capability permit net.undersong.refresh")
        }
        let declared = modes.isEmpty ? "nothing" : modes.joined(separator: ", ")
        return .good(subject, "\(path) declares \(declared)")
    }
}

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

    /// The error in the file: of a section, an option, a value or a key; nil if there is none. The
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
