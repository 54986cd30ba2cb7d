import ArgumentParser
import Glibc
import UndersongBase

/// `undersong doctor`: finds problems of the installation, and suggests remedies.
struct DoctorVerb: Verb {
    static let configuration = described(
        "doctor", "Find what keeps music from playing, and suggest a remedy.",
        discussion: "Exit status: 0 if nothing is wrong, 1 if something is.")

    @Flag(help: "Print the findings as JSON.") var json = false

    func perform() throws {
        let findings = Doctor().findings()
        let text =
            json ? JSONLine.text(of: findings) : findings.map(\.lines).joined(separator: "\n")
        writeOutput(text + "\n")
        if findings.contains(where: { $0.verdict == .wrong }) { throw ExitCode(1) }
    }
}
