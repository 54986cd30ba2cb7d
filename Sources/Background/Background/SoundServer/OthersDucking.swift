/// Lowers the streams of other programs while a session ducks others, and restores them afterwards,
/// both by a ramp because the server has none. Undersong's own sessions duck themselves.
struct OthersDucking: Hashable, Sendable {
    private static let steps: Float = 10
    /// The rounding error of a volume that the channels of a stream share.
    private static let tolerance: Float = 0.02

    /// A stream that is lowered, or is being restored.
    private struct Ducked: Hashable {
        /// The volume before.
        var original: Float
        /// The factor for that volume now.
        var gain: Float = 1
        var echo: EchoFilter
        /// True if somebody else has changed its volume meanwhile, which then stays.
        var isLeftAlone = false

        init(_ volume: Float) {
            original = volume
            echo = EchoFilter(volume, tolerance: OthersDucking.tolerance)
        }
    }

    private var ducked: [UInt32: Ducked] = [:]
    private var isWanted = false
    private var isRamping = false

    /// Applies the current streams; `isWanted` says whether to duck them.
    mutating func follow(
        _ streams: [ServerStream], isWanted: Bool
    ) -> [SoundServerPolicy.Effect] {
        self.isWanted = isWanted
        let others = streams.filter { !$0.isOwn && $0.session == nil && !$0.isCorked }
        let there = Set(streams.map(\.index))
        ducked = ducked.filter { there.contains($0.key) }
        for stream in others {
            if ducked[stream.index]?.echo.isNews(stream.volume) == true {
                ducked[stream.index]?.isLeftAlone = true
            } else if isWanted, ducked[stream.index] == nil {
                ducked[stream.index] = Ducked(stream.volume)
            }
        }
        return ramp()
    }

    private var target: Float { isWanted ? Ducking.factor : 1 }

    private var isDone: Bool { !ducked.contains { isToStep($0.value) } }

    private func isToStep(_ stream: Ducked) -> Bool {
        !stream.isLeftAlone && stream.gain != target
    }

    private mutating func ramp() -> [SoundServerPolicy.Effect] {
        if isDone { return endRamp() }
        guard !isRamping else { return [] }
        isRamping = true
        return [.beginRamp]
    }

    private mutating func endRamp() -> [SoundServerPolicy.Effect] {
        if !isWanted { ducked = [:] }
        defer { isRamping = false }
        return isRamping ? [.endRamp] : []
    }

    /// Takes one step towards the wanted volumes.
    mutating func step() -> [SoundServerPolicy.Effect] {
        guard isRamping else { return [] }
        let size = (1 - Ducking.factor) / Self.steps
        var volumes: [UInt32: Float] = [:]
        for (index, stream) in ducked where isToStep(stream) {
            let way = target - stream.gain
            // Rounding must not leave a tiny last step.
            let isLast = abs(way) < 1.5 * size
            let gain = isLast ? target : stream.gain + (way < 0 ? -size : size)
            let volume = stream.original * gain
            ducked[index]?.gain = gain
            ducked[index]?.echo.willSet(volume)
            volumes[index] = volume
        }
        return [.setVolumes(volumes)] + (isDone ? endRamp() : [])
    }

    /// Restores all volumes at once.
    mutating func end() -> [SoundServerPolicy.Effect] {
        let originals = ducked.filter { !$0.value.isLeftAlone }.mapValues(\.original)
        return forget() + (originals.isEmpty ? [] : [.setVolumes(originals)])
    }

    /// Forgets all streams: they are gone.
    mutating func forget() -> [SoundServerPolicy.Effect] {
        ducked = [:]
        isWanted = false
        return endRamp()
    }
}
