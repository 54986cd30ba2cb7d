import ArgumentParser
import FoundationEssentials
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongTransferClient
import UndersongTransfers

/// `undersong shutdown`: what the user does to an application by removing it from the screen.
struct ShutdownVerb: Verb {
    static let configuration = described(
        "shutdown", "End the service, and cancel everything that continues without it.",
        discussion: """
            Unfinished downloads are cancelled, including those of other programs. The queue and \
            the position are kept. To stop only the sound, use 'undersong stop'.
            """)

    /// The nanoseconds for which other programs may take to leave the one that transfers.
    private static let patience: Int64 = 1_000_000_000

    @OptionGroup var options: SessionOptions

    func perform() throws {
        if hasDownloads {
            let connection = try TransferConnection(to: "shut down", session: options.session)
            var call = CancelTransfers(ids: nil)
            // As with Apple's, for an application that the user has ended (J1).
            call.reason = .hostEnded
            _ = try connection.call(call)
        }
        try endService()
        endTransfers()
    }

    private func endService() throws {
        let sessions = ControlSocket.sessions(
            runtimeFolder: Environment.runtimeFolder, stateFolder: Environment.stateFolder)
        guard sessions.contains(options.session) else { return }
        let isGone = Semaphore()
        let service = try options.service(to: "shut down", startsService: false) { notice in
            if case .lost = notice { isGone.post() }
        }
        _ = try service.call(Shutdown())
        // Until then others would still be answered by a service that ends.
        isGone.wait()
    }

    /// Ends the program that transfers, unless another program needs it.
    private func endTransfers() {
        let location = TransferLocation(
            session: options.session, runtimeFolder: Environment.runtimeFolder,
            stateFolder: Environment.stateFolder, searchPath: Environment["PATH"])
        let isGone = Semaphore()
        let client = try? location.connectToRunning(
            name: "undersong shut down", onClose: { _ in isGone.post() })
        guard let client, (try? client.call(Shutdown())) != nil else { return }
        isGone.wait(until: SystemClock().now + Self.patience)
    }

    /// True if there is a download that is not over; otherwise nothing has to be started.
    private var hasDownloads: Bool {
        guard let state = Environment.stateFolder else { return false }
        let folder = "\(state)/\(options.session)/transfers/pending"
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return names?.contains { $0.hasSuffix(".task") } ?? false
    }
}
