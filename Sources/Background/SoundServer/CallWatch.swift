/// Follows the calls, and other sounds of their rank, by the roles of foreign streams.
struct CallWatch: Hashable, Sendable {
    private static let roles: Set<String> = ["phone", "alert"]

    /// What interrupts now; one more call nests in it, and is not told of.
    private var source: InterruptionSource?
    /// Whether the server silences our stream for the call's sake. PulseAudio's module-role-cork
    /// does, since nobody else can.
    private(set) var isMutedByCall = false
    /// Whether our stream was silent when it was looked at last.
    private var wasMuted = false

    /// What interrupts now.
    var sources: [InterruptionSource] { source.map { [$0] } ?? [] }

    /// Follows a state, and returns what has begun or ended.
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

    /// A silence that begins while somebody calls is the call's. One that stays behind it is not.
    private mutating func followMute(_ isMuted: Bool, isCalled: Bool) {
        if isMuted && !wasMuted && isCalled { isMutedByCall = true }
        if !isMuted || !isCalled { isMutedByCall = false }
        wasMuted = isMuted
    }
}
