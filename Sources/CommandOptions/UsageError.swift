package import ArgumentParser
import Glibc

/// An error in a call, as the parser describes it, in the form of all other errors.
package struct UsageError: Equatable {
    /// `cannot seek: The value '9:99' is invalid for '<time>'`
    package let complaint: String
    /// What to write instead, and what shows more.
    package let advice: String

    /// `message` is the parser's error alone, `text` also has its help and usage.
    package init(message: String, text: String) {
        let quoted = text.split(separator: "'").last { $0.hasSuffix(" --help") }
        let help = quoted.map(String.init) ?? "undersong --help"
        let verb = help.split(separator: " ").dropFirst().dropLast().joined(separator: " ")
        let problem = message.hasSuffix(".") ? String(message.dropLast()) : message
        complaint = verb.isEmpty ? problem : "cannot \(verb): \(problem)"
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("Help:") }
        let hint = lines.prefix { !$0.hasPrefix("Usage:") }.joined(separator: " ")
            .dropFirst("Help:".count).split(separator: " ").joined(separator: " ")
        advice = (hint.isEmpty ? "" : hint + "\n") + "\(help) shows more"
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
            guard !(error is ExitCode), exitCode(for: error) == .validationFailure else {
                exit(withError: error)
            }
            let problem = UsageError(
                message: message(for: error), text: fullMessage(for: error))
            let lines = problem.advice.split(separator: "\n").map { "  \($0)\n" }
            let report = Array((complaint(problem.complaint) + "\n" + lines.joined()).utf8)
            _ = unsafe write(STDERR_FILENO, report, report.count)
            Glibc.exit(EX_USAGE)
        }
    }
}
