/// Detects calls, and other sounds of their rank, by the media roles of foreign streams.
struct CallWatch: Hashable, Sendable {
    private static let roles: Set<String> = ["phone", "alert"]

    /// The current call. A further call nests in it and is not reported.
    private var source: InterruptionSource?
    /// True if the server mutes our stream because of the call. PulseAudio's module-role-cork does
    /// so, since it cannot pause the stream itself.
    private(set) var isMutedByCall = false
    /// True if our stream was muted in the previous state.
    private var wasMuted = false

    /// The current interruptions.
    var sources: [InterruptionSource] { source.map { [$0] } ?? [] }

    /// Applies a state and returns what began or ended.
    mutating func follow(_ state: SoundServerState) -> SoundServerChange? {
        let call = state.streams.first {
            !$0.isOwn && !$0.isCorked && Self.roles.contains($0.role ?? "")
        }
        followMute(state.ownStream?.isMuted ?? false, isCalled: call != nil)
        switch (source, call) {
        case (nil, let call?):
            let source = InterruptionSource.call(application: call.application)
            self.source = source
            return .interruptionBegan(source)
        case (let source?, nil):
            self.source = nil
            return .interruptionEnded(source, shouldResume: true)
        default: return nil
        }
    }

    /// A mute that begins during a call belongs to the call; one that outlasts it does not.
    private mutating func followMute(_ isMuted: Bool, isCalled: Bool) {
        if isMuted && !wasMuted && isCalled { isMutedByCall = true }
        if !isMuted || !isCalled { isMutedByCall = false }
        wasMuted = isMuted
    }
}
