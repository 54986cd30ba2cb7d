package import UndersongAudioSession
package import UndersongBackground

/// A client of a front end, from `connect` to `disconnect`. Notices are delivered on the session's
/// executor and must not block.
package protocol PlayerClient: AnyObject, Sendable {
    /// The client's id.
    var id: ClientID { get }
    /// The client's name; nil until it is known.
    var name: String? { get }
    /// The client's process id; nil if unknown.
    var process: Int32? { get }

    /// The run that the client follows has ended; its last event was published.
    func runEnded(_ run: Int, _ end: SessionEnd)
    /// One of the client's tasks has to end within `timeRemaining` seconds (E4).
    func taskIsExpiring(_ task: Int, timeRemaining: Double)
    /// One of the client's tasks did not end in time and was ended (E5).
    func taskWasTerminated(_ task: Int)

    /// A background task for which the client has registered begins: it has to be completed.
    func refreshIsLaunched(_ run: RefreshRun, timeRemaining: Double)
    /// It has to end within `timeRemaining` seconds.
    func refreshIsExpiring(_ task: Int, timeRemaining: Double)
    /// It is over, no matter who ended it; also sent to the client that has begun it.
    func refreshHasEnded(_ run: RefreshRun)

    /// A push for which the client has registered. It has to answer.
    func receive(_ push: PushReceived)
    /// The client's time for a push is over (H3).
    func pushHasExpired(_ push: PushExpired)

    /// The client's app is in another state.
    func appStateHasChanged(_ change: AppStateChanged)
    /// The client's app was woken in the background.
    func appIsWoken(_ wake: AppWoken)
    /// The user has closed the client's app, which has to end.
    func appIsTerminating(_ notice: AppTerminating)

    /// The user has clicked a notification of the client's app, or closed it.
    func notificationIsAnswered(_ answer: NotificationAnswered)
}

/// A client that registers for nothing is launched for nothing, and gets no pushes. Another program
/// than an app is neither woken nor closed,
/// and has no notifications.
extension PlayerClient {
    package func refreshIsLaunched(_ run: RefreshRun, timeRemaining: Double) {}
    package func refreshIsExpiring(_ task: Int, timeRemaining: Double) {}
    package func refreshHasEnded(_ run: RefreshRun) {}
    package func receive(_ push: PushReceived) {}
    package func pushHasExpired(_ push: PushExpired) {}
    package func appStateHasChanged(_ change: AppStateChanged) {}
    package func appIsWoken(_ wake: AppWoken) {}
    package func appIsTerminating(_ notice: AppTerminating) {}
    package func notificationIsAnswered(_ answer: NotificationAnswered) {}
}
