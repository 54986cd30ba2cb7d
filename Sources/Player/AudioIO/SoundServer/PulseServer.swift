import CUndersongPulse
import Glibc
import Synchronization
package import UndersongBackground
package import UndersongBase
import UndersongPlayback

/// A session's connection to its sound server, with the thread that it belongs to. The stream plays
/// over it, and the listener learns from it whether the server is there, its devices, what plays on
/// them, and which sessions other processes announce.
///
/// The thread, which is the output thread while a stream plays, sleeps while nothing happens on the
/// server. Any thread may call the methods; none waits for the server, which may hang, or for the
/// thread. The connection closes with this object, once nothing plays any more.
package final class PulseServer: SoundServer {
    /// The server to connect to, and the client's properties.
    package struct Configuration: Sendable {
        /// The server; nil for the one that libpulse considers the user's.
        package var server: String?
        /// The folder of the server's socket if `server` does not name it: the folder `pulse` of
        /// the user's runtime folder. A server that returns is then noticed at once. Nil: attempts
        /// are made about once a second.
        package var socketFolder: String?
        /// The process id whose streams count as own.
        package var process: String
        package var clock: any HostClock

        /// Creates a configuration for the streams of this process.
        package init(
            server: String? = nil, socketFolder: String? = nil,
            process: String = String(getpid()), clock: any HostClock
        ) {
            self.server = server
            self.socketFolder = socketFolder
            self.process = process
            self.clock = clock
        }
    }

    /// The nanoseconds for which a prepared connection stays open unused.
    private static let preparedTime: Int64 = 3_000_000_000

    private struct State {
        var isStarted = false
        var isListening = false
        var announcement: SessionAnnouncement?
    }

    private let configuration: Configuration
    private let thread: ServerThread
    private let state = Mutex(State())

    /// Creates a server connection that does nothing yet.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        thread = ServerThread(configuration)
    }

    deinit { if state.withLock(\.isStarted) { thread.end() } }

    package var address: String? { configuration.server }

    /// Starts to connect because a stream is expected soon. Without a stream or a listener, the
    /// connection is closed after 3 s.
    package func prepare() {
        post { $0.prepare(keptFor: Self.preparedTime) }
    }

    package var isListening: Bool { state.withLock(\.isListening) }

    package func listen(_ handler: @escaping @Sendable (SoundServerEvent) -> Void) {
        let announcement = state.withLock { state in
            state.isListening = true
            return state.announcement
        }
        post { connection in
            let listener = ServerListener(
                connection, announcement: announcement, handler: handler)
            connection.listener = listener
            listener.start()
        }
    }

    /// The connection, for code that runs on its thread.
    var connection: ServerConnection { thread.connection }

    /// Runs `body` on the connection's thread, after earlier ones. It must wait only in the
    /// connection's main loop.
    func run(_ body: @escaping @Sendable () -> Void) {
        start()
        thread.run(body)
    }

    package func announce(_ session: SessionAnnouncement) {
        let isListening = state.withLock { state in
            state.announcement = session
            return state.isListening
        }
        if isListening { post { $0.listener?.announce(session) } }
    }

    package func ping(deadline: Int64) async -> Bool {
        await withCheckedContinuation { continuation in
            post { connection in
                unsafe connection.request(
                    deadline: deadline, completion: { continuation.resume(returning: $0) }
                ) { context, userData in
                    unsafe pa_context_get_server_info(context, serverHasAnswered, userData)
                }
            }
        }
    }

    private func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if isFirst { thread.start() }
    }

    private func post(_ work: @escaping @Sendable (ServerConnection) -> Void) {
        start()
        thread.post(work)
    }
}

extension PulseServer {
    package func move(
        _ stream: UInt32, to device: String, completion: @escaping @Sendable (Bool) -> Void
    ) {
        unsafe request(completion) { _, context, userData in
            unsafe pa_context_move_sink_input_by_name(
                context, stream, device, requestIsDone, userData)
        }
    }

    package func setVolume(
        of stream: UInt32, _ volume: Float, completion: @escaping @Sendable (Bool) -> Void
    ) {
        unsafe request(completion) { listener, context, userData in
            guard var volume = listener?.volume(of: stream, scaledTo: volume) else { return nil }
            return unsafe pa_context_set_sink_input_volume(
                context, stream, &volume, requestIsDone, userData)
        }
    }

    private func request(
        _ completion: @escaping @Sendable (Bool) -> Void,
        _ send:
            @escaping @Sendable (
                ServerListener?, OpaquePointer, UnsafeMutableRawPointer
            ) -> OpaquePointer?
    ) {
        post { connection in
            unsafe connection.request(completion: completion) { context, userData in
                unsafe send(connection.listener, context, userData)
            }
        }
    }
}
