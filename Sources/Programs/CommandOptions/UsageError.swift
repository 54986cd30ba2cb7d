package import ArgumentParser
import Glibc

/// An error in a call, in the words of all other errors.
package struct UsageError: Equatable {
    /// `volume: '200' is not a valid loudness`
    package let complaint: String
    /// The advice on what to write instead, and on what shows more.
    package let advice: String

    /// `message` is the parser's error alone, `text` also has its help and usage.
    package init(message: String, text: String) {
        let quoted = text.split(separator: "'").last { $0.hasSuffix(" --help") }
        let help = quoted.map(String.init) ?? "undersong --help"
        let verb = help.split(separator: " ").dropFirst().dropLast().joined(separator: " ")
        complaint = (verb.isEmpty ? "" : verb + ": ") + Self.problem(in: message)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("Help:") }
        let hint = lines.prefix { !$0.hasPrefix("Usage:") }.joined(separator: " ")
            .dropFirst("Help:".count).split(separator: " ").joined(separator: " ")
        advice = (hint.isEmpty ? "" : hint + "\n") + "'\(help)' shows more"
    }

    /// The problem of a call, as a clause: the parser's own sentences are rewritten, and those of
    /// this program are kept.
    package static func problem(in message: String) -> String {
        let line = message.split(separator: "\n").first.map(String.init) ?? message
        let text = line.hasSuffix(".") ? String(line.dropLast()) : line
        if let rest = text.after("The value '") { return wrongValue(rest) }
        if let rest = text.after("Missing expected argument '") { return "no \(name(rest)) given" }
        if let rest = text.after("Missing value for '") {
            let option = rest.prefix { $0 != " " && $0 != "'" }
            let value = rest.contains("<") ? name(rest) : "value"
            return "no \(value) given for \(option)"
        }
        if let rest = text.after("The option '") {
            let option = rest.prefix { $0 != "'" }
            if rest.dropFirst(option.count).hasPrefix("' does not take any value") {
                return "\(option) takes no value"
            }
        }
        let parts = text.components(of: "'. Did you mean '--")
        if parts.count == 2, let given = parts[0].after("Unknown option '--") {
            // The parser's idea of a similar option is a wide one.
            let other = String(parts[1].prefix { $0 != "'" })
            return "unknown option '--\(given)'"
                + (Suggestion.text(for: given, among: [other]).isEmpty
                    ? "" : "; did you mean '--\(other)'?")
        }
        let clauses = text.components(of: "'. Did you mean ").joined(separator: "'; did you mean ")
        // A name or an abbreviation keeps its capitals.
        guard clauses.dropFirst().first?.isUppercase != true else { return clauses }
        return clauses.prefix(1).lowercased() + clauses.dropFirst()
    }

    /// Rewrites `yes' is invalid for '<mode>': reason`, of which the reason may say all.
    private static func wrongValue(_ text: String) -> String {
        let middle = "' is invalid for '"
        let parts = text.components(of: middle)
        guard parts.count > 1, let target = parts.last else { return "'" + text }
        let value = "'" + parts.dropLast().joined(separator: middle) + "'"
        let ends = target.components(of: "': ")
        if ends.count > 1 {
            let reason = ends.dropFirst().joined(separator: "': ")
            return reason.hasPrefix("'") ? reason : "\(value): \(reason)"
        }
        guard target.hasPrefix("<") else {
            return "\(value) is not valid for \(target.prefix { $0 != " " && $0 != "'" })"
        }
        return "\(value) is not a valid \(name(target))"
    }

    /// The name of an argument in a synopsis such as `<file> ...`.
    private static func name(_ synopsis: some StringProtocol) -> String {
        let name = synopsis.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
        let words = name.isEmpty ? synopsis.prefix { $0 != "'" } : name
        return String(words.map { $0 == "-" ? " " : $0 })
    }
}

extension String {
    fileprivate func after(_ beginning: String) -> String? {
        hasPrefix(beginning) ? String(dropFirst(beginning.count)) : nil
    }

    /// The parts between the occurrences of `separator`.
    fileprivate func components(of separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}

extension ParsableCommand {
    /// Performs the command that `arguments` name, and ends the program. An error in them is
    /// reported like all others.
    package static func perform(_ arguments: [String]) -> Never {
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
            Glibc.exit(0)
        } catch {
            // An exit code alone belongs to an error that was reported already.
            if error is ExitCode { exit(withError: error) }
            if exitCode(for: error).isSuccess {
                let text = fullMessage(for: error)
                if !text.isEmpty { writeOutput(Array((text + "\n").utf8)) }
                Glibc.exit(0)
            }
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            let problem = UsageError(
                message: message(for: error), text: fullMessage(for: error))
            let lines = problem.advice.split(separator: "\n").map { "  \($0)\n" }
            let report = Array((complaint(problem.complaint) + "\n" + lines.joined()).utf8)
            _ = unsafe write(STDERR_FILENO, report, report.count)
            Glibc.exit(EX_USAGE)
        }
    }
}
