package import ArgumentParser
import Glibc

/// An error in a call, as the parser describes it, in the form of all other errors.
package struct UsageError: Equatable {
    /// `cannot set the volume: The value '200' is invalid for '<loudness>'`
    package let complaint: String
    /// What to write instead, and what shows more.
    package let advice: String

    /// `message` is the parser's error alone, `text` also has its help and usage; `root` is the
    /// command whose arguments were parsed.
    package init(message: String, text: String, root: any ParsableCommand.Type) {
        let quoted = text.split(separator: "'").last { $0.hasSuffix(" --help") }
        let help = quoted.map(String.init) ?? "undersong --help"
        let path = help.split(separator: " ").dropFirst().dropLast().map(String.init)
        let problem = message.hasSuffix(".") ? String(message.dropLast()) : message
        let purpose = Self.purpose(of: path, below: root)
        complaint = purpose.map { "cannot \($0): \(problem)" } ?? problem
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("Help:") }
        let hint = lines.prefix { !$0.hasPrefix("Usage:") }.joined(separator: " ")
            .dropFirst("Help:".count).split(separator: " ").joined(separator: " ")
        advice = (hint.isEmpty ? "" : hint + "\n") + "\(help) shows more"
    }

    /// What a verb does, as its help says: `seek`, `set the volume`; nil for no verb.
    private static func purpose(
        of path: [String], below root: any ParsableCommand.Type
    ) -> String? {
        guard !path.isEmpty else { return nil }
        let name = path.joined(separator: " ")
        var command = root
        for word in path {
            let inner =
                command.configuration.subcommands
                + command.configuration.groupedSubcommands
                .flatMap(\.subcommands)
            guard let next = inner.first(where: { $0.configuration.commandName == word })
            else { return name }
            command = next
        }
        return purpose(of: name, abstract: command.configuration.abstract)
    }

    /// The first clause of a verb's summary, or the verb alone if the summary begins with it. What
    /// shows or sets something has arguments only to set it.
    package static func purpose(of name: String, abstract: String) -> String {
        let clause = abstract.prefix { !".,;:".contains($0) }
        var words = clause.split(separator: " ").prefix { $0 != "whose" }.map(String.init)
        guard let first = words.first?.lowercased(), first != name else { return name }
        words[0] = first
        if words.starts(with: ["show", "or"]) { words.removeFirst(2) }
        return words.joined(separator: " ")
    }
}

extension ParsableCommand {
    /// Performs the command that `arguments` name, and ends the program. An error in them is reported
    /// like all others.
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
                message: message(for: error), text: fullMessage(for: error), root: Self.self)
            let lines = problem.advice.split(separator: "\n").map { "  \($0)\n" }
            let report = Array((complaint(problem.complaint) + "\n" + lines.joined()).utf8)
            _ = unsafe write(STDERR_FILENO, report, report.count)
            Glibc.exit(EX_USAGE)
        }
    }
}
