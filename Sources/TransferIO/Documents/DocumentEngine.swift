import CCurl
import Glibc
package import Playback
import Synchronization
import Threads

/// Fetches documents such as feeds, some at a time, with libcurl on one thread, which starts with the
/// first order and ends with the last. Any thread may call it.
package final class DocumentEngine: Sendable {
    /// What an engine is made with.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?
        /// How many requests run at the same time.
        package var concurrency = 16
        /// How many of them to one host.
        package var concurrencyPerHost = 4

        package init() {}
    }

    package typealias Done = @Sendable (_ id: Int, DocumentAnswer) -> Void

    private struct Mail {
        var letters: [Letter] = []
        var isRunning = false
        var lastID = 0
        /// Ends libcurl's wait.
        var wake: (@Sendable () -> Void)?
    }

    private enum Letter: Sendable {
        case open(id: Int, DocumentOrder, Done)
        case close(id: Int)
    }

    private let settings: Settings
    private let clock: any HostClock
    private let mail = Mutex(Mail())

    package init(_ settings: Settings, clock: any HostClock) {
        self.settings = settings
        self.clock = clock
    }

    /// Begins an order, and returns its id. `done` is called once, on the engine's thread, unless it
    /// is closed before.
    package func open(_ order: DocumentOrder, _ done: @escaping Done) -> Int {
        let id = mail.withLock { mail in
            mail.lastID += 1
            return mail.lastID
        }
        post(.open(id: id, order, done))
        return id
    }

    /// Gives up an order.
    package func close(_ id: Int) { post(.close(id: id)) }

    private func post(_ letter: Letter) {
        let starts = mail.withLock { mail in
            mail.letters.append(letter)
            mail.wake?()
            defer { mail.isRunning = true }
            return !mail.isRunning
        }
        guard starts else { return }
        startThread(named: "documents") { [self] in run() }
    }

    private func run() {
        _ = ccurl_global_init()
        guard let multi = unsafe curl_multi_init().map({ unsafe CURLPointer($0) }) else {
            preconditionFailure("there is no memory for libcurl")
        }
        mail.withLock { $0.wake = { unsafe curl_multi_wakeup(multi.raw) } }
        let state = DocumentEngineState(multi, settings, clock)
        while let letters = nextLetters(isBusy: !state.isEmpty) {
            for letter in letters {
                switch letter {
                case .open(let id, let order, let done): state.open(id, order, done)
                case .close(let id): state.close(id)
                }
            }
            state.step()
        }
        unsafe curl_multi_cleanup(multi.raw)
    }

    /// What has come; nil if that is nothing and nothing is under way, which ends the thread.
    private func nextLetters(isBusy: Bool) -> [Letter]? {
        mail.withLock { mail in
            defer { mail.letters = [] }
            mail.isRunning = isBusy || !mail.letters.isEmpty
            if !mail.isRunning { mail.wake = nil }
            return mail.isRunning ? mail.letters : nil
        }
    }
}
