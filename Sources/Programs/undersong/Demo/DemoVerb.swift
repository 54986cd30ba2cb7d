import ArgumentParser
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongDemoScreen

/// `undersong demo`: shows the tutorials' app and what the system does to it.
struct DemoVerb: DemoScreenVerb {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show an app with four tabs, and what becomes of it in the background.",
        discussion: """
            The app plays songs, follows a route on a map, calculates, and fetches traffic reports. \
            The key h is the home button, Enter opens the app again, c shows its capabilities, k ends \
            its process as the system may, and ? lists all keys. The console below shows what it \
            writes.

            The demo has a service, a session and files of its own, plays to nobody if no sound \
            server answers, and leaves nothing behind.

            Examples:
              undersong demo
              undersong demo location
              undersong demo tour                  # without a terminal, in half a minute
            """,
        subcommands: [
            AudioTab.self, LocationTab.self, WhateverTab.self, FetchTab.self, TourVerb.self,
        ])

    @OptionGroup var options: DemoOptions

    var tab: DemoTab { .audio }

    struct AudioTab: DemoScreenVerb {
        static let configuration = described("audio", "Open the tab that plays songs.")
        @OptionGroup var options: DemoOptions

        var tab: DemoTab { .audio }
    }

    struct LocationTab: DemoScreenVerb {
        static let configuration = described("location", "Open the tab with the map.")
        @OptionGroup var options: DemoOptions

        var tab: DemoTab { .location }
    }

    struct WhateverTab: DemoScreenVerb {
        static let configuration = CommandConfiguration(
            commandName: "whatever", abstract: "Open the tab that calculates.",
            aliases: ["fibonacci"])
        @OptionGroup var options: DemoOptions

        var tab: DemoTab { .whatever }
    }

    struct FetchTab: DemoScreenVerb {
        static let configuration = described(
            "fetch", "Open the tab with the traffic reports, which are fetched.")
        @OptionGroup var options: DemoOptions

        var tab: DemoTab { .fetch }
    }

    struct TourVerb: Verb {
        static let configuration = described(
            "tour", "Do all of it without hands, and print the app's console.",
            discussion: """
                It needs no terminal. Lines that begin with # say what is done; all others are the \
                app's own.

                Exit status: 0 if everything has happened as it should, otherwise 1.
                """)

        func perform() throws {
            try DemoEnd.run { stage, _ in
                try DemoTour(stage).perform()
                return 0
            }
        }
    }
}

/// The options of the demo on a screen.
struct DemoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Seconds for which the app may run in the background for its tasks.",
            valueName: "seconds"))
    var backgroundTime = 30.0

    func validate() throws {
        guard backgroundTime >= 1, backgroundTime <= 3600 else {
            throw ValidationError("--background-time must be between 1 and 3600.")
        }
    }
}

/// A verb that shows the demo on a full screen.
protocol DemoScreenVerb: Verb {
    var options: DemoOptions { get }
    /// The tab that is shown first.
    var tab: DemoTab { get }
}

/// Ends the demo: its stage first, in any case, and then the program.
final class DemoEnd: Sendable {
    private let stage: DemoStage
    /// Held from the beginning of the end on.
    private let ending = Mutex(())
    private let terminal = Mutex<Terminal?>(nil)

    /// A terminal that the demo is shown on.
    private struct Terminal: Sendable {
        let host: HostTerminal
        let screen: any HostDisplay
        let keyboard: Keyboard?
    }

    private init(_ stage: DemoStage) { self.stage = stage }

    /// Runs `body` on a thread of its own with a new stage, and ends the program with the status that it
    /// returns, its failure, or the first signal that asks for the end. If it returns nil, the program
    /// continues until then.
    ///
    /// - Throws: a failure if there is no stage.
    static func run(
        _ body: @escaping @Sendable (DemoStage, DemoEnd) throws -> Int32?
    ) throws -> Never {
        let signals = HostSignals()
        let stage = try DemoStage()
        let end = DemoEnd(stage)
        startThread(named: "demo's run") {
            do {
                if let status = try body(stage, end) { end.leave(status) }
            } catch {
                let failure = Failure(error) ?? Failure("cannot show the demo: \(error)")
                end.leave(failure.status, failure.message)
            }
        }
        end.follow(signals)
    }

    /// Uses a terminal from now on, which is given back before the program ends, or is stopped.
    func use(_ terminal: HostTerminal, _ screen: any HostDisplay, _ keyboard: Keyboard?) {
        self.terminal.withLock { $0 = Terminal(host: terminal, screen: screen, keyboard: keyboard) }
        if terminal.isForeground { keyboard?.acquire() }
        screen.redraw()
    }

    /// Ends the program; a problem is reported once the terminal is given back.
    func leave(_ status: Int32, _ problem: String? = nil) -> Never {
        ending.withLock { _ in
            if let terminal = terminal.withLock({ $0 }) {
                terminal.screen.close()
                terminal.keyboard?.close(isForeground: terminal.host.isForeground)
            }
            if let problem { complain(problem) }
            stage.end()
            // Skips the clean-up of `exit`, since other threads are still running.
            _exit(status)
        }
    }

    private func follow(_ signals: HostSignals) -> Never {
        while true {
            guard let number = signals.next(within: nil) else { continue }
            let terminal = terminal.withLock { $0 }
            switch number {
            case SIGTSTP: stop(terminal)
            case SIGCONT: renew(terminal)
            case SIGWINCH: terminal?.screen.redraw()
            default: leave(128 + number)
            }
        }
    }

    /// Handles Ctrl-Z: stops this program, while the app lives on.
    private func stop(_ terminal: Terminal?) {
        terminal?.screen.hide()
        if terminal?.host.isForeground == true { terminal?.keyboard?.release() }
        Signals.stopProcess()
        if terminal?.host.isForeground == true { terminal?.keyboard?.acquire() }
        terminal?.screen.show()
    }

    /// Handles SIGCONT: the terminal may have been the shell's meanwhile.
    private func renew(_ terminal: Terminal?) {
        guard let terminal, terminal.host.isForeground else { return }
        terminal.keyboard?.acquire()
        terminal.keyboard?.renew()
        terminal.screen.redraw()
    }
}
