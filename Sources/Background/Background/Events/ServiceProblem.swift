/// The problems of the service itself, as events name them beside those of items and outputs.
package enum ServiceProblem: String, Sendable, CaseIterable {
    /// The manifest cannot be read, or has what it must not have.
    case badManifest = "bad-manifest"
    /// The command of `--on-item` failed.
    case itemCommand = "on-item"
    /// The command of `--on-episode` failed.
    case episodeCommand = "on-episode"
    /// The command of `--on-download` failed.
    case downloadCommand = "on-download"
    /// A finite-length task was running when the time in the background was over.
    case taskOverstayed = "task-overstayed"
    /// A background task was running when its time was over.
    case taskOverran = "task-overran"
    /// A background task was completed that was over.
    case taskAlreadyCompleted = "task-already-completed"
    /// A push could not be received, or what it asks for could not be done.
    case pushFailed = "push-failed"
    /// The command of a rule for a place could not be performed.
    case ruleFailed = "rule-failed"
    /// An alarm did not ring, because nothing ran at its time.
    case alarmMissed = "alarm-missed"
    /// An alarm could not begin what it is to play.
    case alarmFailed = "alarm-failed"
    /// An alarm has rung, or was missed, and that could not be written.
    case alarmNotKept = "alarm-not-kept"
    /// An action of a notification could not be performed.
    case notificationFailed = "notification-failed"
    /// Nothing is durable any more; edits are refused.
    case stateNotKept = "state-not-kept"
    /// Everything is durable again.
    case stateKept = "state-kept"
    /// Something that was kept is damaged, and left out.
    case stateDamaged = "state-damaged"
    /// Nothing in the library is durable any more; changes are refused.
    case libraryNotKept = "library-not-kept"
    /// Everything in the library is durable again.
    case libraryKept = "library-kept"
    /// Something in the library is damaged, and left out.
    case libraryDamaged = "library-damaged"
}
