/// What happens on a sound server.
package enum SoundServerEvent: Equatable, Sendable {
    /// The server answers: this is what it is like.
    case connected(SoundServerState)
    /// It is like this now.
    case changed(SoundServerState)
    /// The connection is gone, at a nanosecond of CLOCK_MONOTONIC. It is tried again from now on.
    case lost(reason: String, hostTime: Int64)
    /// There was no connection, and a first try has failed. It is tried again from now on.
    case unavailable(reason: String)
}
