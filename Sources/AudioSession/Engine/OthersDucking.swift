import AudioIO
import Background
import Dispatch

/// Makes the streams of other programs softer while a session ducks others, and as loud as they were
/// before when it does no longer: by a ramp, since the server knows none. Undersong's own sessions do
/// that by themselves. Belongs to the engine's queue.
final class OthersDucking {
    private static let steps: Float = 10
    private static let stepSeconds = 0.02
    /// A volume that differs by so much from the one that was set was set by somebody else.
    private static let tolerance: Float = 0.02

    /// A stream that is, or was, softer.
    private struct Ducked {
        /// Its volume as it was found.
        var original: Float
        /// By what that is multiplied now.
        var gain: Float = 1
    }

    private let queue: DispatchQueue
    private let set: ([UInt32: Float]) -> Void
    private var ducked: [UInt32: Ducked] = [:]
    private var isWanted = false
    private var timer: (any DispatchSourceTimer)?

    /// `set` sets the volumes of streams.
    init(queue: DispatchQueue, set: @escaping ([UInt32: Float]) -> Void) {
        self.queue = queue
        self.set = set
    }

    /// These streams are there now, and shall be softer or not.
    func follow(_ streams: [ServerStream], isWanted: Bool) {
        self.isWanted = isWanted
        let others = streams.filter { !$0.isOwn && $0.session == nil && !$0.isCorked }
        let there = Set(streams.map(\.index))
        ducked = ducked.filter { there.contains($0.key) }
        for stream in others {
            if let known = ducked[stream.index] {
                let expected = known.original * known.gain
                // Whoever turns it meanwhile wants it so.
                if timer == nil, abs(stream.volume - expected) > Self.tolerance {
                    ducked[stream.index] = nil
                }
            } else if isWanted {
                ducked[stream.index] = Ducked(original: stream.volume)
            }
        }
        if !ducked.isEmpty { begin() }
    }

    private var target: Float { isWanted ? Ducking.factor : 1 }

    private func begin() {
        guard timer == nil, ducked.contains(where: { $0.value.gain != target }) else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.stepSeconds)
        timer.setEventHandler { [weak self] in self?.step() }
        timer.resume()
        self.timer = timer
    }

    private func step() {
        let size = (1 - Ducking.factor) / Self.steps
        var volumes: [UInt32: Float] = [:]
        for (index, stream) in ducked where stream.gain != target {
            let way = target - stream.gain
            let gain = abs(way) <= size ? target : stream.gain + (way < 0 ? -size : size)
            ducked[index]?.gain = gain
            volumes[index] = stream.original * gain
        }
        set(volumes)
        guard ducked.allSatisfy({ $0.value.gain == target }) else { return }
        timer?.cancel()
        timer = nil
        if !isWanted { ducked = [:] }
    }

    /// Everything is at once as it was: the session ends.
    func end() {
        timer?.cancel()
        timer = nil
        set(ducked.mapValues(\.original))
        ducked = [:]
    }
}
