package import AudioSession

/// Somebody whom a front end serves, from `connect` to `disconnect`. Its notices come on the
/// session's executor and must not block.
package protocol PlayerClient: AnyObject, Sendable {
    /// Distinguishes it from all others.
    var id: ClientID { get }
    /// What it calls itself; nil: it has not said so yet.
    var name: String? { get }
    /// Its process; nil: unknown.
    var process: Int32? { get }

    /// The run that it follows is over; its last event has been published.
    func runEnded(_ run: Int, _ end: SessionEnd)
    /// A task of its own has to end within `timeRemaining` seconds (E4).
    func taskIsExpiring(_ task: Int, timeRemaining: Double)
    /// A task of its own has not ended in time, and was ended (E5).
    func taskWasTerminated(_ task: Int)
}
