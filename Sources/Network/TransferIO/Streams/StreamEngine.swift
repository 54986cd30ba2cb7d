import Synchronization
package import UndersongBase
package import UndersongTransfers

/// Fetches streams for players, each into a file of the player's, as `StreamPlan` decides: with
/// libcurl, on one thread, which starts with the first stream and ends with the last. Any thread may
/// call it.
package final class StreamEngine: Sendable {
    /// The settings of an engine.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?
        /// Returns true if there is a network, so that a host that cannot be found does not exist.
        package var isOnline: @Sendable () -> Bool = { NetworkInterfaces.areUp }

        package init() {}
    }

    private let thread: EngineThread<StreamEngineState>
    private let lastID = Atomic(0)

    /// `report` receives what has changed, on the engine's thread.
    package init(
        _ settings: Settings, clock: any HostClock,
        report: @escaping @Sendable (_ id: Int, StreamReport) -> Void
    ) {
        thread = EngineThread(named: "streams", clock: clock) { multi, _ in
            StreamEngineState(multi, settings, clock, report)
        }
    }

    /// Begins a stream, and returns its id. Its bytes go into `file`, which is open for reading and
    /// writing and which the engine closes. Nothing is requested before `want`.
    package func open(_ call: OpenStream, file: Int32) -> Int {
        let id = lastID.add(1, ordering: .relaxed).newValue
        thread.post(.open(id: id, call, file: file))
        return id
    }

    /// The player reads from `from` on, and bytes up to `until` are to be there.
    package func want(_ id: Int, from: Int64, until: Int64) {
        thread.post(.want(id: id, from: from, until: until))
    }

    /// Ends a stream, and closes its file.
    package func close(_ id: Int) { thread.post(.close(id: id)) }
}
