import Control

/// What the service sends by itself.
enum Notice: Sendable {
    /// Something happened.
    case event(PlayerEvent)
    /// Nobody reads what is written to this program's standard output.
    case readerGone
    case runEnded(RunEnded)
    case taskExpiring(TaskExpiring)
    case taskTerminated(TaskTerminated)
    /// The service has gone away: nothing follows.
    case lost
}
