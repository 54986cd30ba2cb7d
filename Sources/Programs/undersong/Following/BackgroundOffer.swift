import FoundationEssentials
import Glibc
import UndersongBackground
import UndersongCommandOptions
import UndersongControl

/// Offers, once in the life of an installation, that the music plays on without its terminal, and
/// asks, once, when it would stop. The default is iOS's: not unless it is declared.
enum BackgroundOffer {
    /// The offer.
    static let text =
        "When this terminal is closed, the music stops. Press d to detach and keep it playing."

    /// The question.
    static let question = "Music may not play in the background yet. Allow it from now on? [y/N] "

    /// Shows the offer if it was not shown before, the `audio` mode is not declared, and the program
    /// is still in front of the user when that is known.
    static func make(_ link: Service, _ screen: Screen, _ terminal: HostTerminal) {
        guard let mark = mark("offered-background-audio"), unsafe access(mark, F_OK) != 0 else {
            return
        }
        link.send(GetCapabilities()) { reply in
            guard let modes = try? reply.get().modes, terminal.isForeground else { return }
            let isDeclared = modes.contains { $0.mode == .known(.audio) && $0.declared }
            remember(at: mark)
            if !isDeclared { screen.say([text]) }
        }
    }

    /// Asks on the terminal whether music may play in the background, unless that was asked before.
    /// Returns true if the answer is yes, false also if nobody can be asked.
    static func isAccepted() -> Bool {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1,
            let mark = mark("asked-background-audio"), unsafe access(mark, F_OK) != 0
        else { return false }
        remember(at: mark)
        writeAll(question, to: STDERR_FILENO)
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// The file whose existence says that this was done; nil without a place for it.
    private static func mark(_ name: String) -> String? {
        Environment.stateFolder.map { $0 + "/" + name }
    }

    private static func remember(at mark: String) {
        let folder = URL(filePath: mark).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = unsafe open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }
}
