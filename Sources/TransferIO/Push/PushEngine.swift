import CCurl
import Glibc
package import Playback
import Records
import Synchronization
import Threads
import Transfers

/// Listens at one topic of ntfy, as `NtfyListener` decides: with libcurl, on one thread, which runs
/// as long as there is a topic. The topic and the last message that was taken are in a file, so that
/// the next process continues from there. Any thread may call it.
package final class PushEngine: Sendable {
    /// What an engine is made with.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?
        /// Determines the jitter.
        package var seed: UInt64 = 1

        package init() {}
    }

    /// Hands a message on: `answer` is called once, on any thread, with whether it was taken, or
    /// refused for good.
    package typealias HandOn =
        @Sendable (
            _ identifier: String, _ payload: [UInt8], _ answer: @escaping @Sendable (Bool) -> Void
        ) -> Void

    enum Letter: Sendable {
        case listen(url: String?, answer: @Sendable (Int32) -> Void)
        case answered(String, Bool)
        case awoke
    }

    private struct Mail {
        var letters: [Letter] = []
        var isRunning = false
        var isListening = false
        /// Ends libcurl's wait.
        var wake: (@Sendable () -> Void)?
    }

    private let file: String
    private let settings: Settings
    private let clock: any HostClock
    private let handOn: HandOn
    private let log: @Sendable (String) -> Void
    private let mail = Mutex(Mail())

    /// Creates an engine that keeps its topic in `file`. `log` is called with troubles.
    package init(
        file: String, settings: Settings, clock: any HostClock, handOn: @escaping HandOn,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.file = file
        self.settings = settings
        self.clock = clock
        self.handOn = handOn
        self.log = log
    }

    /// Whether there is a topic.
    package var isListening: Bool { mail.withLock { $0.isListening } }

    /// Continues with the topic of the file, if there is one.
    package func start() {
        guard let record = PushRecord.read(from: file) else { return }
        listen(to: record.url) { _ in }
    }

    /// Listens at this topic from now on, also in later processes; nil for none. `answer` is called
    /// once, on any thread, with 0, or with the `errno` if that could not be kept.
    package func listen(to url: String?, answer: @escaping @Sendable (Int32) -> Void) {
        post(.listen(url: url, answer: answer))
    }

    /// The machine has slept, or has another network.
    package func awake() { if isListening { post(.awoke) } }

    private func post(_ letter: Letter) {
        let starts = mail.withLock { mail in
            if case .listen(let url, _) = letter { mail.isListening = url != nil }
            mail.letters.append(letter)
            mail.wake?()
            defer { mail.isRunning = true }
            return !mail.isRunning
        }
        guard starts else { return }
        startThread(named: "pushes") { [self] in run() }
    }

    private func run() {
        _ = ccurl_global_init()
        guard let multi = unsafe curl_multi_init().map({ unsafe CURLPointer($0) }) else {
            preconditionFailure("there is no memory for libcurl")
        }
        mail.withLock { $0.wake = { unsafe curl_multi_wakeup(multi.raw) } }
        let state = PushEngineState(
            multi, file: file, settings, clock, log: log
        ) { [handOn, weak self] identifier, payload in
            handOn(identifier, payload) { [weak engine = self] isTaken in
                engine?.post(.answered(identifier, isTaken))
            }
        }
        while true {
            let letters = mail.withLock { mail in
                defer { mail.letters = [] }
                mail.isRunning = !mail.letters.isEmpty || state.isListening
                if !mail.isRunning { mail.wake = nil }
                return mail.isRunning ? mail.letters : nil
            }
            guard let letters else { break }
            letters.forEach(state.take)
            state.step()
        }
        unsafe curl_multi_cleanup(multi.raw)
    }
}

/// The topic, and the last message that was taken.
struct PushRecord: Codable, Equatable {
    var url: String
    var last: String?

    static func read(from file: String) -> PushRecord? {
        RecordFile.read(PushRecord.self, from: file)
    }

    func write(to file: String) -> Int32 { RecordFile.write(self, to: file) }
}
