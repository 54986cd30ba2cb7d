import Background

/// Everything that a session knows, behind its lock.
struct SessionState: Sendable {
    var setup = SessionSetup()
    var isActive = false
    var interruption = SessionInterruption()
    /// Whether the application was told that the interruption has begun, so that it hears its end.
    var hasToldInterruption = false
    var circumstances = SessionCircumstances()
    var ducking = Ducking()
    /// What the prompts that are being spoken do to this session, in their order.
    var prompts: [Prompt] = []
    var route = AVAudioSessionRouteDescription(outputs: [
        AVAudioSessionPortDescription(
            portType: .builtInSpeaker, portName: "Default Output", uid: "default")
    ])
    var portOverride = AVAudioSession.PortOverride.none
    var output = AVAudioSession.Output()
    var preferred = Preferred()
    var clients: [WeakClient] = []

    /// What the application would like.
    struct Preferred: Sendable {
        var sampleRate = 0.0
        var ioBufferDuration = 0.0
        var outputNumberOfChannels = 0
    }

    /// What another application's prompt does to this session.
    enum Prompt: Sendable {
        case interrupting
        case ducking
    }

    /// The clients that are still there.
    var liveClients: [any AVAudioSessionClient] { clients.compactMap(\.client) }
}

/// What follows from a change: the clients first, so that sound has stopped, then the application.
struct SessionOutcome: Sendable {
    var changes: [AVAudioSession.Change] = []
    var notices: [SessionNotice] = []
}
