import ArgumentParser
import Glibc
import UndersongCommandOptions

/// `undersong ui`: shows the queue full screen.
struct UIVerb: Verb {
    static let configuration = described(
        "ui", "Show the queue and the current item full screen, and control them by keys.",
        discussion: """
            The key ? shows all keys: the cursor moves through the queue, where items can be \
            played, moved, removed and searched for. The key q ends only this program, and the \
            music plays on; if it may not play in the background, q asks first. While ui is open, \
            playback counts as foreground.
            """)

    @OptionGroup var session: SessionName

    func perform() throws {
        guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                "cannot show a full screen: Standard input and output are not a terminal; "
                    + "'undersong queue list' prints the queue")
        }
        guard ScreenControl.isUnderstood(by: Environment["TERM"]) else {
            throw Failure(
                "cannot show a full screen: The terminal, by TERM, cannot place its cursor; "
                    + "'undersong watch' shows one line")
        }
        try FullScreenRun().perform(session: session.text)
    }
}
