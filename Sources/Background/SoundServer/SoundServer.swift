/// The port to a sound server, as far as a session has to do with it: what the server is like, who
/// else plays on it, and what a session asks of it. How a stream plays on it is the output's business.
///
/// All calls may come from any thread; none waits for the server, which may hang.
package protocol SoundServer: AnyObject, Sendable {
    /// The server that it was made for; nil: the user's.
    var address: String? { get }

    /// Begins to connect, for a stream that is expected soon. A connection that nobody uses is closed
    /// again.
    func prepare()

    /// Whether somebody listens.
    var isListening: Bool { get }

    /// Calls `handler` from now on with what happens on the server, one call after the other, on a
    /// thread on which it must not wait. The first call is `connected` or `unavailable`. Once only.
    func listen(_ handler: @escaping @Sendable (SoundServerEvent) -> Void)

    /// Announces to other processes how this session relates to theirs, now and after each
    /// connection.
    func announce(_ session: SessionAnnouncement)

    /// Whether the server answers within `deadline` nanoseconds. False without a connection.
    func ping(deadline: Int64) async -> Bool

    /// Moves a stream to a device; `completion` is called once, on any thread, with whether that was
    /// done.
    func move(
        _ stream: UInt32, to device: String, completion: @escaping @Sendable (Bool) -> Void)

    /// Sets a stream's volume, a factor for its samples; its channels keep their proportions.
    /// `completion` is called once, on any thread, with whether that was done.
    func setVolume(
        of stream: UInt32, _ volume: Float, completion: @escaping @Sendable (Bool) -> Void)
}

extension SoundServer {
    /// Whether the server answers within a second.
    package func ping() async -> Bool { await ping(deadline: 1_000_000_000) }

    /// Moves a stream to a device, if both are still there.
    package func move(_ stream: UInt32, to device: String) {
        move(stream, to: device) { _ in }
    }

    /// Sets the volumes of several streams. Streams that are gone are ignored.
    package func setVolumes(_ volumes: [UInt32: Float]) {
        for (stream, volume) in volumes { setVolume(of: stream, volume) { _ in } }
    }
}
