import FoundationEssentials
import Glibc
import UndersongBackground
import UndersongCommandOptions

/// Detects that a player which should play is silent because the host is in the background without
/// the capability. The user cannot guess that, so it is reported once each time it begins, with the
/// remedy.
struct BackgroundSilence {
    /// The report.
    static let message =
        "paused: music may not play in the background yet. "
        + "Allow it with: undersong capability audio on"

    private var isReported = false
    /// The last known source of the host's state.
    private var source: String?
    /// True if the queue was heard to its end, and nothing was added since.
    private var isAtEnd = false

    /// True if the player is silent for that reason.
    static func isReason(of status: PlayerStatus) -> Bool {
        status.wantsPlayback && status.item != nil && status.reason == .known(.appBackgrounded)
    }

    /// Handles an event. Returns whether to report now: not if a terminal has been given back to
    /// this program meanwhile, as by `fg`.
    mutating func handle(_ event: PlayerEvent, isForeground: Bool) -> Bool {
        switch event.kind {
        case .application(_, let source): self.source = source
        case .queue: isAtEnd = false
        default: break
        }
        guard case .state = event.kind else { return false }
        if event.head.status == .playing { isAtEnd = false }
        if event.head.reason == .known(.noItemToPlay) { isAtEnd = true }
        guard event.head.reason == .known(.appBackgrounded) else {
            isReported = false
            return false
        }
        if isReported || isAtEnd || source == "terminal" && isForeground { return false }
        isReported = true
        return true
    }
}

/// Offers, once in the life of an installation, that the music plays on without its terminal, and
/// asks, once, when it would stop. The default is iOS's: not unless it is declared.
enum BackgroundOffer {
    /// The offer.
    static let text =
        "When this terminal is closed, the music stops. Press d to detach and keep it playing."

    /// The question.
    static let question = "Music may not play in the background yet. Allow it from now on? [y/N] "

    /// Shows the offer if it was not shown before, the `audio` mode is not declared, and the
    /// program is still in front of the user when that is known.
    static func make(_ link: Service, _ screen: Screen, _ terminal: HostTerminal) {
        guard let mark = mark("offered-background-audio"), unsafe access(mark, F_OK) != 0 else {
            return
        }
        link.send(GetCapabilities()) { reply in
            guard let modes = try? reply.get().modes, terminal.isForeground, !screen.isHidden
            else { return }
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
