package import Background
import CPulse
import Glibc
import Synchronization

/// Listens to the sound server over a connection of its own: whether it is there, its devices, what
/// plays on them, and which sessions other processes announce; and asks it for what is not the
/// stream's own.
///
/// It has a thread of libpulse, which sleeps while nothing happens on the server. All calls may come
/// from any thread and from the handler too, and none waits for the server, which may hang.
package final class SoundServerListener: Sendable {
    /// Which server, and for whom.
    package struct Configuration: Sendable {
        /// The server; nil: what libpulse takes for the user's.
        package var server: String?
        /// Where the server's socket will be, when `server` does not say: the folder `pulse` of the
        /// user's runtime folder. A server that comes back is then noticed at once. Nil: it is tried
        /// again every second at most.
        package var socketFolder: String?
        /// The number of the process whose streams are its own.
        package var process: String

        /// Makes one for the streams of this process.
        package init(
            server: String? = nil, socketFolder: String? = nil, process: String = String(getpid())
        ) {
            self.server = server
            self.socketFolder = socketFolder
            self.process = process
        }
    }

    private struct State {
        var loop: ListeningLoop?
        var announcement: SessionAnnouncement?
    }

    private let configuration: Configuration
    private let handler: @Sendable (SoundServerEvent) -> Void
    private let state = Mutex(State())

    /// Makes a listener that does nothing yet. `handler` is called on libpulse's thread, which does
    /// nothing else meanwhile: it should leave a note and return.
    package init(
        _ configuration: Configuration = Configuration(),
        handler: @escaping @Sendable (SoundServerEvent) -> Void
    ) {
        self.configuration = configuration
        self.handler = handler
    }

    deinit { state.withLock { $0.loop.take() }?.shutDown() }

    /// Begins to listen; without effect while it does.
    package func start() {
        state.withLock { state in
            guard state.loop == nil else { return }
            state.loop = ListeningLoop(
                configuration, announcement: state.announcement, handler: handler)
        }
    }

    /// Ends the connection and the thread. When this returns the handler is no longer called, unless
    /// it is the handler that calls.
    package func stop() { state.withLock { $0.loop.take() }?.shutDown() }

    /// Tries to connect at once, unless there is a connection or an attempt at one.
    package func retryNow() { withLoop { $0.retryNow() } }

    /// Takes the connection for lost, since the server does not answer, and begins anew.
    package func giveUp(reason: String) { withLoop { $0.giveUp(reason: reason) } }

    /// Tells other processes how this session relates to theirs, now and after each connection.
    package func announce(_ session: SessionAnnouncement) {
        state.withLock { $0.announcement = session }
        withLoop { $0.announce(session) }
    }

    /// Whether the server answers within `deadline` nanoseconds. False without a connection.
    package func ping(deadline: Int64 = 1_000_000_000) async -> Bool {
        await withCheckedContinuation { continuation in
            let isAsked: Void? = withLoop { loop in
                unsafe loop.request(
                    deadline: deadline, completion: { continuation.resume(returning: $0) }
                ) { context, userData in
                    unsafe pa_context_get_server_info(context, serverHasAnswered, userData)
                }
            }
            if isAsked == nil { continuation.resume(returning: false) }
        }
    }

    @discardableResult
    private func withLoop<Value>(_ body: (ListeningLoop) -> Value) -> Value? {
        // Not under this lock: the loop has one of its own, and calls the handler under that.
        guard let loop = state.withLock({ $0.loop }) else { return nil }
        return loop.withLock { body(loop) }
    }
}

extension SoundServerListener {
    /// Moves a stream to a device; `completion` is told on libpulse's thread whether that was done.
    package func move(
        _ stream: UInt32, to device: String,
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        unsafe request(completion) { _, context, userData in
            unsafe pa_context_move_sink_input_by_name(
                context, stream, device, requestIsDone, userData)
        }
    }

    /// Sets a stream's volume, a factor for its samples; its channels keep their proportions.
    package func setVolume(
        of stream: UInt32, _ volume: Float,
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        unsafe request(completion) { loop, context, userData in
            var volume = loop.volume(of: stream, scaledTo: volume)
            return unsafe pa_context_set_sink_input_volume(
                context, stream, &volume, requestIsDone, userData)
        }
    }

    /// Sets the volumes of several streams, as `setVolume` does. Streams that are gone are ignored.
    package func setVolumes(_ volumes: [UInt32: Float]) {
        for (stream, volume) in volumes { setVolume(of: stream, volume) }
    }

    /// Silences a stream, or lets it be heard.
    package func setMute(
        of stream: UInt32, _ isMuted: Bool,
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        unsafe request(completion) { _, context, userData in
            unsafe pa_context_set_sink_input_mute(
                context, stream, isMuted ? 1 : 0, requestIsDone, userData)
        }
    }

    private func request(
        _ completion: @escaping @Sendable (Bool) -> Void,
        _ send: (ListeningLoop, OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        let isSent: Void? = withLoop { loop in
            unsafe loop.request(completion: completion) { context, userData in
                unsafe send(loop, context, userData)
            }
        }
        if isSent == nil { completion(false) }
    }
}
