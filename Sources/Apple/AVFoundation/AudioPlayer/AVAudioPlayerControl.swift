import Dispatch
import Foundation
import Synchronization
import UndersongAudioSession
import UndersongPlayback

/// The player's commands to the engine and its handling of events.
extension AVAudioPlayer {
    /// The lead of the engine over what is heard: at least this many repetitions, and at least this
    /// many seconds.
    private static let leastAhead = 2
    private static let secondsAhead = 2.0
    private static let mostAhead = 64

    static let timers = DispatchQueue(label: "undersong.timers", qos: .userInteractive)

    /// Registers the player with the session and starts observing events.
    func begin() {
        post.set { $0.modes = PlaybackModes(isConsuming: true) }
        AVAudioSession.sharedInstance().admit(self, post)
        session.subscribe { [weak self] event in
            guard event.kind.concernsPlayer else { return }
            MainQueue.async { [weak self] in self?.handle(event) }
        }
        let session = session
        Task(executorPreference: session.executor) { await session.run() }
    }

    // MARK: Commands

    /// Gives the sound to the engine, unless it has it already.
    func load() {
        state.withLock { state in
            guard state.items.isEmpty, !state.isOver else { return }
            give(&state, from: state.place.time ?? .zero)
        }
        refill()
    }

    /// Gives commands under the lock, so that they have the same order as the state's changes.
    private func give(_ state: inout AudioPlayerState, from start: CMTime = .zero) {
        let id = state.makeID()
        state.items.append(id)
        post.insert(QueueItem(id: id, source: loader.source, start: start), after: nil)
    }

    /// Plays, unless the audio session forbids it.
    @discardableResult
    func begin(playing: Bool) -> Bool {
        let isFree = state.withLock { $0.interruption.play() && !$0.isOver }
        guard isFree, AVAudioSession.sharedInstance().activateForPlayback() else { return false }
        load()
        let rate = state.withLock { state in
            state.isPlaying = true
            state.pausedTime = nil
            return state.effectiveRate
        }
        AVAudioSession.sharedInstance().clientsChanged()
        post.play(rate: Double(rate))
        return true
    }

    /// Silences the sound. If `change` returns true, the player is paused, and reports the position at
    /// which it was, though the device plays some milliseconds more.
    func hold(_ change: (inout AudioPlayerState) -> Bool) {
        let time = heardTime
        state.withLock { state in
            guard change(&state) else { return }
            if state.isPlaying { state.pausedTime = time }
            state.isPlaying = false
            state.starts += 1
        }
        post.pause()
        AVAudioSession.sharedInstance().clientsChanged()
    }

    /// Gives the engine the repetitions still to be heard, some seconds ahead, and takes back any
    /// surplus.
    func refill() {
        let ahead = ahead
        state.withLock { state in
            guard !state.items.isEmpty else { return }
            let missing = state.missing(ahead: ahead)
            for _ in 0..<max(0, missing) { give(&state) }
            for _ in 0..<max(0, -missing) { post.remove(state.items.removeLast()) }
        }
    }

    private var ahead: Int {
        guard case .success(let description) = loader.description, description.duration.isNumeric
        else { return Self.leastAhead }
        let seconds = max(description.duration.seconds, 0.001)
        let wanted = Int((Self.secondsAhead / seconds).rounded(.up))
        return min(max(wanted, Self.leastAhead), Self.mostAhead)
    }

    func seek(to time: CMTime) {
        let (number, first) = state.withLock { state in
            state.place.go(to: time)
            state.pausedTime = nil
            state.seeks += 1
            return (state.seeks, state.items.first)
        }
        guard let first else { return }
        post.seek(first, to: time) { [weak self] isFinished in
            guard !isFinished else { return }
            MainQueue.async { [weak self] in self?.seekFailed(number, first, time) }
        }
    }

    /// Handles a failed seek. If the sound has started over meanwhile, it seeks in the new
    /// repetition.
    private func seekFailed(_ number: Int, _ item: ItemID, _ time: CMTime) {
        let isLate = state.withLock { state in
            guard state.seeks == number else { return false }
            if state.items.first == item { state.place.forget() }
            return !state.items.isEmpty && state.items.first != item
        }
        if isLate { seek(to: time) }
    }

    /// The position that is heard, or from which playback will start.
    var heardTime: CMTime {
        let (place, items) = state.withLock { ($0.place.time ?? $0.pausedTime, $0.items) }
        if let place { return place }
        guard let heard = session.player.heard, items.contains(heard.item) else { return .zero }
        return heard.time
    }

    func postRate() {
        let (isPlaying, rate) = state.withLock { ($0.isPlaying, $0.effectiveRate) }
        if isPlaying { post.set { $0.rate = Double(rate) } }
    }

    // MARK: Volume

    /// Fades to `volume` in steps of 20 ms. The engine's own ramp takes as long, so the ramps join
    /// into one.
    func fade(to volume: Float, within seconds: TimeInterval) {
        let steps = max(1, Int((seconds / 0.02).rounded()))
        let (fade, start) = state.withLock { state in
            state.fades += 1
            return (state.fades, state.volume)
        }
        step(1, of: steps, from: start, to: volume, fade)
    }

    private func step(_ step: Int, of steps: Int, from start: Float, to end: Float, _ fade: Int) {
        let isCurrent = state.withLock { state in
            guard state.fades == fade else { return false }
            state.volume = step == steps ? end : start + (end - start) * Float(step) / Float(steps)
            return true
        }
        guard isCurrent else { return }
        postVolume()
        guard step < steps else { return }
        Self.timers.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
            self?.step(step + 1, of: steps, from: start, to: end, fade)
        }
    }

    func postVolume() {
        let volume = state.withLock { $0.volume * $0.gain }
        post.set { $0.volume = volume }
    }

    // MARK: Events

    /// Handles an event of the session. Runs on the main queue.
    private func handle(_ event: PlayerEvent) {
        switch event.kind {
        case .item(.began(let item, _)): began(item.id, at: event.head.position)
        case .jump: state.withLock { $0.place.began(at: event.head.position) }
        case .item(.ended(let item, _)): ended(item.id)
        case .error(let failure): failed(failure)
        case .state: stateChanged(event.head)
        case .end(let end), .runEnded(let end): ended(end)
        default: break
        }
    }

    private func ended(_ id: ItemID) {
        state.withLock { state in
            guard state.items.first == id else { return }
            state.hasEnded = true
            state.place.forget()
        }
    }

    private func began(_ id: ItemID, at position: CMTime) {
        let isOurs = state.withLock { state in
            guard let index = state.items.firstIndex(of: id) else { return false }
            state.items.removeFirst(index)
            state.loopsHeard += index
            state.hasEnded = false
            if index > 0 { state.place.forget() }
            state.place.began(at: position)
            return true
        }
        if isOurs { refill() }
    }

    private func failed(_ failure: SessionFailure) {
        let error = AVError(failure)
        let isFirst = state.withLock { state in
            let isOurs = failure.item.map(state.items.contains) ?? true
            guard state.failure == nil, isOurs else { return false }
            state.failure = error
            return true
        }
        guard isFirst else { return }
        refill()
        delegate?.audioPlayerDecodeErrorDidOccur(self, error: error)
    }

    private func stateChanged(_ head: PlayerEvent.Head) {
        guard head.reason == .known(.noItemToPlay) else { return }
        let isLast = state.withLock { state in
            state.items.count == 1 && (state.hasEnded || state.failure != nil)
        }
        if isLast { finish() }
    }

    private func ended(_ end: SessionEnd) {
        guard case .outputFailed = end.reason else { return }
        state.withLock { $0.isOver = true }
        finish()
    }

    /// Ends the sound: the next `play()` starts it from the beginning.
    private func finish() {
        let (wasPlaying, failure) = state.withLock { state in
            let outcome = (state.isPlaying, state.failure)
            state.rest(at: .zero)
            return outcome
        }
        post.pause()
        guard wasPlaying else { return }
        AVAudioSession.sharedInstance().clientsChanged()
        delegate?.audioPlayerDidFinishPlaying(self, successfully: failure == nil)
    }
}
