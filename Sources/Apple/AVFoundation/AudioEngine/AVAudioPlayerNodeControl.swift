import Dispatch
import Foundation
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

/// A node's commands to the engine and its handling of events.
extension AVAudioPlayerNode {
    /// Registers the node with the audio session and starts observing events.
    func begin() {
        post.set { $0.modes = PlaybackModes(isConsuming: true) }
        AVAudioSession.sharedInstance().admit(self, post)
        session.subscribe { [weak self] event in
            guard let self, event.kind.concernsPlayer else { return }
            queue.async { [weak self] in self?.handle(event) }
        }
        let session = session
        Task(executorPreference: session.executor) { await session.run() }
    }

    /// The sound that is heard now.
    var heard: NodeSchedule.Heard? {
        session.player.heard.map { NodeSchedule.Heard(item: $0.item, seconds: $0.time.seconds) }
    }

    // MARK: Commands

    /// Looks at the graph again: it or the engine has changed.
    func refresh() {
        state.withLock { update(&$0) }
        AVAudioSession.sharedInstance().clientsChanged()
    }

    func setPlaying(_ isPlaying: Bool) {
        state.withLock { state in
            state.isPlaying = isPlaying && !state.isOver
            update(&state)
        }
        AVAudioSession.sharedInstance().clientsChanged()
    }

    /// Gives the engine what has changed. Like all commands, these are given under the lock, so that
    /// they have the same order as the state's changes.
    func update(_ state: inout PlayerNodeState) {
        state.conditions = engine?.conditions(of: self) ?? NodeConditions()
        let volume = state.volume * state.conditions.volume * state.gain
        let cents = Double(state.conditions.cents)
        post.set {
            $0.volume = volume
            $0.pitch = cents
        }
        let isHeard = state.isPlaying && state.conditions.isRunning
        let tempo = isHeard ? Double(state.conditions.tempo) : 0
        if tempo != state.schedule.tempo {
            state.schedule.run(at: tempo, from: session.clock.now)
            if tempo > 0 { post.play(rate: tempo) } else { post.pause() }
        }
        give(&state)
    }

    /// Gives the engine what it is to play next.
    private func give(_ state: inout PlayerNodeState) {
        for (id, sound) in state.schedule.next(at: session.clock.now, heard) {
            if let item = try? sound.queueItem(id) {
                post.insert(item, after: nil)
            } else {
                state.schedule.failed(id)
            }
        }
        consume(&state)
    }

    func schedule(
        _ sound: NodeSound, at when: AVAudioTime?,
        options: AVAudioPlayerNodeBufferOptions = [], _ callback: NodeCallback?
    ) {
        guard !sound.isEmpty else { return call([callback].compactMap(\.self)) }
        let callbacks = state.withLock { state in
            let removed =
                if options.contains(.interrupts) {
                    state.schedule.interrupt(at: session.clock.now, heard)
                } else if options.contains(.interruptsAtLoop) {
                    state.schedule.interruptAtLoop()
                } else {
                    (items: [ItemID](), callbacks: [NodeCallback]())
                }
            state.schedule.add(
                sound, at: when.flatMap(NodeSchedule.Start.init),
                isLooping: options.contains(.loops), callback)
            give(&state)
            for id in removed.items.reversed() { post.remove(id) }
            return removed.callbacks
        }
        call(callbacks)
    }

    func call(_ callbacks: [NodeCallback]) {
        guard !callbacks.isEmpty else { return }
        queue.async { for callback in callbacks { callback.call(callback.type) } }
    }

    /// Calls those who want to know what is consumed, and comes back for the next one.
    private func consume(_ state: inout PlayerNodeState) {
        state.timers += 1
        let timer = state.timers
        let now = session.clock.now
        let (callbacks, next) = state.schedule.consumed(at: now, heard)
        call(callbacks)
        guard let next else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(next - now))) { [weak self] in
            self?.state.withLock { state in
                if state.timers == timer { self?.consume(&state) }
            }
        }
    }

    // MARK: Events

    /// Handles an event of the session. Runs on the node's queue.
    private func handle(_ event: PlayerEvent) {
        let callbacks = state.withLock { state in
            let callbacks = state.handle(event)
            give(&state)
            return callbacks
        }
        call(callbacks)
        if case .end = event.kind { AVAudioSession.sharedInstance().clientsChanged() }
    }
}

extension NodeSchedule.Start {
    /// A time of the node's own timeline, or else a host time.
    fileprivate init?(_ time: AVAudioTime) {
        if time.isSampleTimeValid, time.sampleRate > 0 {
            self = .time(Double(time.sampleTime) / time.sampleRate)
        } else if time.isHostTimeValid {
            self = .host(Int64(clamping: time.hostTime))
        } else {
            return nil
        }
    }
}

/// The audio session's effects on a node (behaviour 2.5, 3.1). Its engine performs those that
/// silence it.
extension AVAudioPlayerNode: AVAudioSessionClient {
    package var isRunningIO: Bool { state.withLock { $0.schedule.tempo > 0 } }

    package func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        post.apply(change)
        guard case .gain(let gain) = change else { return }
        state.withLock { state in
            state.gain = gain
            update(&state)
        }
    }
}
