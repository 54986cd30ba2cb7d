import UndersongBackground

/// The session's mutable state, protected by its lock.
struct SessionState: Sendable {
    var setup = SessionSetup()
    var isActive = false
    var interruption = SessionInterruption()
    /// True if the interruption's begin was posted, so that its end has to be too.
    var hasReportedInterruption = false
    var circumstances = SessionCircumstances()
    var ducking = Ducking()
    /// The effects of the current prompts on this session, in the order of their begins.
    var prompts: [Prompt] = []
    var route = AVAudioSessionRouteDescription(outputs: [
        AVAudioSessionPortDescription(
            portType: .builtInSpeaker, portName: "Default Output", uid: "default")
    ])
    var portOverride = AVAudioSession.PortOverride.none
    var output = AVAudioSession.Output()
    var preferred = Preferred()
    var clients: [WeakClient] = []
    /// The functions to call when players start or stop.
    var soundHandlers: [@Sendable () -> Void] = []

    /// The values requested by the application.
    struct Preferred: Sendable {
        var sampleRate = 0.0
        var ioBufferDuration = 0.0
        var outputNumberOfChannels = 0
    }

    /// The effect of another application's prompt on this session.
    enum Prompt: Sendable {
        case interrupting
        case ducking
    }

    /// The clients that still exist.
    var liveClients: [any AVAudioSessionClient] { clients.compactMap(\.client) }
}

/// The consequences of a change: the clients act first, so that the sound has stopped, then the
/// application is notified.
struct SessionOutcome: Sendable {
    var changes: [AVAudioSession.Change] = []
    var notices: [SessionNotice] = []
}
