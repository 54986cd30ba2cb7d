/// The events of a sound server.
package enum SoundServerEvent: Equatable, Sendable {
    /// The server answers and is in this state.
    case connected(SoundServerState)
    /// The server's state changed to this one.
    case changed(SoundServerState)
    /// The connection was lost at `hostTime`, in nanoseconds of CLOCK_MONOTONIC. Reconnecting
    /// begins now.
    case lost(reason: String, hostTime: Int64)
    /// The first attempt to connect failed. Further attempts begin now.
    case unavailable(reason: String)
}
