import Synchronization
package import UndersongBase
package import UndersongPodcasts

/// Fetches documents such as feeds, some at a time, with libcurl on one thread, which starts with the
/// first request and ends with the last. Any thread may call it.
package final class DocumentEngine: Sendable {
    /// The settings of an engine.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?
        /// The number of requests that run at the same time.
        package var concurrency = 16
        /// The number of them to one host.
        package var concurrencyPerHost = 4
        /// Seconds after which a request is given up, counted from its first attempt.
        package var timeout = FetchDocument.timeout

        package init() {}
    }

    package typealias Done = @Sendable (_ id: Int, DocumentAnswer) -> Void

    private let thread: EngineThread<DocumentEngineState>
    private let lastID = Atomic(0)

    package init(_ settings: Settings, clock: any HostClock) {
        thread = EngineThread(named: "documents", clock: clock) { multi, _ in
            DocumentEngineState(multi, settings, clock)
        }
    }

    /// Begins a request, and returns its id. The body goes into `file`, which is open for writing and
    /// which the engine closes. `done` is called once, on the engine's thread, unless the request is
    /// closed before.
    package func open(_ call: FetchDocument, file: Int32, _ done: @escaping Done) -> Int {
        let id = lastID.add(1, ordering: .relaxed).newValue
        thread.post(.open(id: id, call, file: file, done))
        return id
    }

    /// Gives up a request.
    package func close(_ id: Int) { thread.post(.close(id: id)) }
}
