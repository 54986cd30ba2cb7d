import Glibc
import UndersongBackground
import UndersongBase
import UndersongControl

/// This program's part in job control. It stops, as the shell expects, once the service knows of it;
/// the service continues it for as long as it has work in the background, and stops it again.
struct JobControl: Sendable {
    /// The signals of job control.
    static let signals = [SIGTSTP, SIGCONT]
    /// The seconds that the service has to answer before the program stops.
    private static let patience = 1.0

    /// The present connection to the service; nil for none.
    private let client: @Sendable () -> ControlClient?

    init(_ client: @escaping @Sendable () -> ControlClient?) { self.client = client }

    /// Handles SIGTSTP: stops the program, and returns when it was continued. The thread blocks
    /// `signals`.
    func stop() {
        if let client = client() {
            _ = awaitAnswer(within: Self.patience) { client.send(WillStop(), $0) }
        }
        Signals.stopProcess()
        Signals.removeContinuation()
        reportContinuation()
    }

    /// Handles SIGCONT: reports that the program was continued. The report has been sent when this
    /// returns.
    func reportContinuation() { client()?.send(DidContinue()) }

    /// Handles both signals on a thread of its own, for programs whose main thread does not. Call
    /// this before any other thread is started: it blocks the signals, and later threads inherit
    /// that. A signal that is ignored already stays ignored.
    func begin() {
        let handled = Self.blockSignals()
        startThread(named: "job control") { [self] in
            var handled = handled
            while true {
                switch unsafe sigwaitinfo(&handled, nil) {
                case SIGTSTP: stop()
                case SIGCONT: reportContinuation()
                default: break
                }
            }
        }
    }

    private static func blockSignals() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in signals where !Signals.isIgnored(number) { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        return set
    }
}
