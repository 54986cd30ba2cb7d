import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongLibrary

/// Waits until nothing is left to scan, and shows the progress on a terminal.
///
/// This program is the service's host meanwhile, so that a scan has more time than is left in the
/// background. Ctrl-C ends the waiting, and leaves the scan to the service.
final class ScanFollower: Sendable {
    private let isJSON: Bool
    private let showsProgress: Bool
    private let link = Service()
    /// True while the service is asked, and if something has changed since.
    private let asking = Mutex((isAsked: false, isStale: false))

    init(isJSON: Bool) {
        self.isJSON = isJSON
        showsProgress = !isJSON && isatty(STDOUT_FILENO) == 1
    }

    /// Waits, shows the library, and ends the program.
    func run(session: String) throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let state = terminal.state
        let options = Follower.Options(
            purpose: "wait for the scan",
            handle: { [self] notice in
                if case .event = notice { ask() }
            })
        let follower = Follower(terminal, options, link: link)
        try follower.begin(session: session, as: "library", startsService: true) { calls in
            calls.add(Attach(state: state, source: terminal.source))
            calls.add(Subscribe(interval: nil, kinds: ["library"]))
        }
        ask()
        follower.follow(signals, reported: state)
    }

    private func ask() {
        let isDue = asking.withLock { asking in
            asking.isStale = asking.isAsked
            defer { asking.isAsked = true }
            return !asking.isAsked
        }
        guard isDue else { return }
        link.send(GetLibrary()) { [self] reply in
            // The follower reports a service that has gone away.
            guard let status = try? reply.get() else { return }
            show(status)
            let isStale = asking.withLock { asking in
                asking.isAsked = false
                return asking.isStale
            }
            if isStale { ask() }
        }
    }

    private func show(_ status: LibraryStatus) {
        let erasure = showsProgress ? "\r\u{1B}[K" : ""
        if let scan = status.scan {
            if showsProgress { writeOutput(erasure + LibraryText.progress(scan)) }
        } else if status.isWaiting != true {
            writeOutput(
                erasure + (isJSON ? JSONLine.text(of: status) : LibraryText.folders(status)) + "\n")
            Glibc.exit(0)
        }
    }
}
