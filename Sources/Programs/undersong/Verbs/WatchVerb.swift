import ArgumentParser
import Glibc
import UndersongBackground
import UndersongCommandOptions
import UndersongControl

/// `undersong watch`: shows what plays, without playing anything itself.
struct WatchVerb: Verb {
    static let configuration = described(
        "watch", "Watch what is playing in one line, with the keys of play.",
        discussion: """
            The keys q and d, and signals, end only this program. Unlike play, it does not bring the \
            player to the foreground. Programs should read 'undersong events' or 'undersong status \
            --follow'.
            """)

    @OptionGroup var session: SessionName

    func perform() throws {
        guard isatty(STDOUT_FILENO) == 1 else {
            throw Failure(
                "cannot watch: Standard output is not a terminal; 'undersong events' writes events")
        }
        let signals = HostSignals()
        let terminal = HostTerminal()
        var options = Follower.Options(
            purpose: "watch", isLive: true, takesKeys: true, ownsRun: false)
        options.keys = try KeyMap(Configuration.found())
        let follower = Follower(terminal, options)
        try follower.begin(session: session.text, as: "watch") { calls in
            calls.add(Subscribe(interval: LiveLine.interval.wireTime))
        }
        follower.follow(signals, reported: terminal.state)
    }
}
