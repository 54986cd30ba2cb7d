import ArgumentParser
import Glibc

/// `undersong doctor`: looks what is wrong with the installation, and says what to do.
struct DoctorVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look what keeps music from playing, and say what to do.",
        discussion: "Exit status: 0 when nothing is wrong, 1 when something is.")

    @Flag(help: "Tell the findings as JSON.")
    var json = false

    func perform() throws {
        let findings = Doctor().findings()
        let text = json ? JSONText.line(findings) : findings.map(\.lines).joined(separator: "\n")
        writeAll(text + "\n", to: STDOUT_FILENO)
        if findings.contains(where: { $0.verdict == .wrong }) { throw ExitCode(1) }
    }
}
