import CCurl
import Glibc
package import Playback
import Synchronization
import Threads
package import Transfers

/// Fetches streams for players, each into a file of the player's, as `StreamPlan` decides: with
/// libcurl, on one thread, which starts with the first stream and ends with the last. Any thread may
/// call it.
package final class StreamEngine: Sendable {
    /// What an engine is made with.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?

        package init() {}
    }

    /// A stream that is wanted.
    package struct Order: Sendable {
        package var url: String
        /// The file, open for reading and writing; the engine closes it.
        package var file: Int32
        /// What the file has from an earlier order for the same URL.
        package var available = ByteRanges()
        package var total: Int64?
        package var validator: Validator?
        package var isLive = false
        /// Whether it may be something other than sound.
        package var isForText = false

        package init(url: String, file: Int32) {
            self.url = url
            self.file = file
        }
    }

    private let settings: Settings
    private let clock: any HostClock
    /// Receives what has changed, on the engine's thread.
    private let report: @Sendable (_ id: Int, StreamReport) -> Void
    private let mail = Mutex(Mail())

    private struct Mail {
        var letters: [Letter] = []
        var isRunning = false
        var lastID = 0
        /// Ends libcurl's wait.
        var wake: (@Sendable () -> Void)?
    }

    fileprivate enum Letter: Sendable {
        case open(id: Int, Order)
        case want(id: Int, from: Int64, until: Int64)
        case close(id: Int)
    }

    package init(
        _ settings: Settings, clock: any HostClock,
        report: @escaping @Sendable (_ id: Int, StreamReport) -> Void
    ) {
        self.settings = settings
        self.clock = clock
        self.report = report
    }

    /// Begins a stream, and returns its id. Nothing is requested before `want`.
    package func open(_ order: Order) -> Int {
        let id = mail.withLock { mail in
            mail.lastID += 1
            return mail.lastID
        }
        post(.open(id: id, order))
        return id
    }

    /// The player reads from `from` on, and bytes up to `until` are to be there.
    package func want(_ id: Int, from: Int64, until: Int64) {
        post(.want(id: id, from: from, until: until))
    }

    /// Ends a stream, and closes its file.
    package func close(_ id: Int) { post(.close(id: id)) }

    private func post(_ letter: Letter) {
        let starts = mail.withLock { mail in
            mail.letters.append(letter)
            mail.wake?()
            defer { mail.isRunning = true }
            return !mail.isRunning
        }
        guard starts else { return }
        startThread(named: "streams") { [self] in run() }
    }

    private func run() {
        _ = ccurl_global_init()
        guard let multi = unsafe curl_multi_init().map({ unsafe CURLPointer($0) }) else {
            preconditionFailure("there is no memory for libcurl")
        }
        mail.withLock { $0.wake = { unsafe curl_multi_wakeup(multi.raw) } }
        let state = StreamEngineState(multi, settings, clock, report)
        while true {
            let letters = mail.withLock { mail in
                defer { mail.letters = [] }
                // The last stream takes the thread with it.
                mail.isRunning = !mail.letters.isEmpty || !state.isEmpty
                if !mail.isRunning { mail.wake = nil }
                return mail.isRunning ? mail.letters : nil
            }
            guard let letters else { break }
            for letter in letters {
                switch letter {
                case .open(let id, let order): state.open(id, order)
                case .want(let id, let from, let until): state.want(id, from: from, until: until)
                case .close(let id): state.close(id)
                }
            }
            state.step()
        }
        unsafe curl_multi_cleanup(multi.raw)
    }
}
