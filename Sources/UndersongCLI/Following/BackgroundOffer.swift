import CommandOptions
import Control
import FoundationEssentials
import Glibc

/// Offers, once in the life of an installation, that the music plays on without its terminal. The
/// default is iOS's: not unless it is declared.
enum BackgroundOffer {
    /// The offer.
    static let text =
        "When this terminal is closed, the music stops. Press d to detach and keep it playing."

    /// Shows the offer if it was not shown before, the `audio` mode is not declared, and the program
    /// is still in front of the user when that is known.
    static func make(_ link: ServiceConnection, _ screen: Screen, _ terminal: HostTerminal) {
        guard let mark, unsafe access(mark, F_OK) != 0 else { return }
        link.send(Capability()) { reply in
            guard let modes = try? reply.get().modes, terminal.isForeground else { return }
            let isDeclared = modes.contains { $0.mode == "audio" && $0.declared }
            remember(at: mark)
            if !isDeclared { screen.say([text]) }
        }
    }

    /// The file whose existence says that the offer was made; nil without a place for it.
    private static var mark: String? {
        let declared = Environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = declared ?? Environment["HOME"].map { $0 + "/.local/state" }
        return folder.map { $0 + "/undersong/offered-background-audio" }
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
