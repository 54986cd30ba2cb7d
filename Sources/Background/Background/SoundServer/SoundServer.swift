/// The port to a sound server, as far as a session needs it: the server's state, who else plays on
/// it, and what the session asks of it. Playing a stream is up to the output.
///
/// All methods may be called on any thread; none waits for the server, which may hang.
package protocol SoundServer: AnyObject, Sendable {
    /// The server's address; nil for the user's default server.
    var address: String? { get }

    /// Starts to connect because a stream is expected soon. A connection that stays unused is
    /// closed.
    func prepare()

    /// True if `listen` has been called.
    var isListening: Bool { get }

    /// Calls `handler` with the server's events from now on, one at a time, on a thread that it must
    /// not block. The first event is `connected` or `unavailable`. To be called once only.
    func listen(_ handler: @escaping @Sendable (SoundServerEvent) -> Void)

    /// Announces to other processes how this session relates to theirs, now and after each new
    /// connection.
    func announce(_ session: SessionAnnouncement)

    /// Returns true if the server answers within `deadline` nanoseconds. False without a
    /// connection.
    func ping(deadline: Int64) async -> Bool

    /// Moves a stream to a device. `completion` is called once, on any thread, and receives whether
    /// that succeeded.
    func move(
        _ stream: UInt32, to device: String, completion: @escaping @Sendable (Bool) -> Void)

    /// Sets a stream's volume, a factor for its samples; its channels keep their proportions.
    /// `completion` is called once, on any thread, and receives whether that succeeded.
    func setVolume(
        of stream: UInt32, _ volume: Float, completion: @escaping @Sendable (Bool) -> Void)
}

extension SoundServer {
    /// Returns true if the server answers within a second.
    package func ping() async -> Bool { await ping(deadline: 1_000_000_000) }

    /// Moves a stream to a device if both still exist.
    package func move(_ stream: UInt32, to device: String) {
        move(stream, to: device) { _ in }
    }

    /// Sets the volumes of several streams; streams that no longer exist are ignored.
    package func setVolumes(_ volumes: [UInt32: Float]) {
        for (stream, volume) in volumes { setVolume(of: stream, volume) { _ in } }
    }
}
