import CUndersongCurl
import Glibc
package import UndersongBase
package import UndersongTransfers

/// Performs what `TransferPolicy` decides: requests by libcurl on one thread, records and parts in
/// a folder. It sleeps while nothing is due.
package final class TransferEngine: Sendable {
    /// The settings of an engine.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?
        /// The mode of the files that are made.
        package var mode: UInt32 = 0o644
        /// Seconds without work after which `idle` is called; nil for never.
        package var idleSeconds: Double?
        /// Distinguishes the starts of the machine.
        package var bootID = ""
        /// Spreads the attempts of several machines.
        package var seed: UInt64 = 1
        /// Waits until what was written to a descriptor has reached the disk. Returns 0 or the
        /// `errno` of a failure. Called on any thread.
        package var sync: @Sendable (Int32) -> Int32 = { fdatasync($0) == 0 ? 0 : errno }

        package init() {}
    }

    /// The reports of an engine, on its own thread.
    package struct Reports: Sendable {
        /// Something that users see has changed about these.
        package var changed: @Sendable (TransferEngineState, Set<Int>) -> Void = { _, _ in }
        /// There was nothing to do for `idleSeconds`.
        package var idle: @Sendable () -> Void = {}
        /// Something has begun or ended a while ago, such as a request or the start, and what it
        /// needed is over.
        package var settled: @Sendable () -> Void = {}
        /// A finished file is to join the player's queue; the answer may come on any thread, and is
        /// given once.
        package var join:
            @Sendable (
                _ path: String, QueuePlacement, _ answer: @escaping @Sendable (QueueAnswer) -> Void
            ) -> Void = { _, _, answer in answer(.refused("There is no player")) }
        /// One line for the log.
        package var trouble: @Sendable (String) -> Void = { _ in }

        package init() {}
    }

    private let clock: any HostClock
    private let thread: EngineThread<TransferEngineState>

    package init(clock: any HostClock) {
        self.clock = clock
        thread = EngineThread(named: "transfers", clock: clock)
    }

    /// The versions of the libraries that it uses: `libcurl/7.88.1 OpenSSL/3.0.17 ...`
    package static var libraries: String {
        unsafe curl_version().map { unsafe String(cString: $0) } ?? "libcurl"
    }

    /// Starts a thread that transfers what is in the folder at `path`. Called once.
    ///
    /// - Throws: `TransferFolder.Trouble`.
    package func start(
        folder path: String, settings: Settings, reports: Reports
    ) throws(TransferFolder.Trouble) {
        let folder = try TransferFolder(path, clock: clock)
        thread.start { [clock] multi, thread in
            TransferEngineState(multi, folder, settings, clock, reports) { thread.post($0) }
        }
    }

    /// Calls `body` on the engine's thread, unless the engine has ended.
    package func perform(_ body: @escaping @Sendable (TransferEngineState) -> Void) {
        thread.post(body)
    }

    /// Stores what was received, ends all requests, and calls `whenDone` on the engine's thread,
    /// which then ends.
    package func stop(whenDone: @escaping @Sendable () -> Void) {
        thread.post { state in
            state.end()
            whenDone()
        }
    }
}
