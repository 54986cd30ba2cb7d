import Dispatch
import Synchronization
import UndersongAudioSession
import UndersongPlayback

/// Plays files, parts of files and buffers one after the other, without a gap if their formats are
/// the same.
///
/// It sounds while it is playing, its engine is running and it is connected to the engine's output.
/// Any thread may call it: methods return once the command is given. Completion handlers are called
/// on a queue of the node, one after the other, and may call the node.
///
/// The node has a timeline, which counts the frames of its output since it was first played or
/// stopped, in silence too, and stops while it is paused. What is scheduled begins after what
/// was scheduled before it, or later: at a frame of the timeline, exactly, or at a host time, which
/// counts as soon as the node plays.
open class AVAudioPlayerNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
    /// Its streams are of floating-point numbers, since a buffer of these may follow anything.
    let session = AudioSession(
        .player(on: AVPlayer.outputDestination, leastSampleFormat: .float32))
    /// Handles the player's events and calls completion handlers.
    let queue = DispatchQueue(label: "undersong.player-node")
    let state = Mutex(PlayerNodeState())
    var post: PlayerCommands { session.player.post }

    /// Makes a node that has nothing to play.
    public override init() {
        super.init()
        begin()
    }

    deinit {
        let session = session
        Task(executorPreference: session.executor) { await session.stop() }
    }

    /// The number of inputs.
    open override var numberOfInputs: Int { 0 }

    // MARK: Playing

    /// Plays what is scheduled, from where the node was paused, as soon as the engine is running.
    open func play() { play(at: nil) }

    /// Plays when the clock reaches `when`, by a timer: accurate to some milliseconds. `isPlaying`
    /// becomes true at that time. Nil for now.
    open func play(at when: AVAudioTime?) {
        let start = state.withLock { state in
            state.starts += 1
            return state.starts
        }
        let delay = (when?.clockTime ?? 0) - session.clock.now
        guard delay > 0 else { return setPlaying(true) }
        AVAudioPlayer.timers.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) {
            [weak self] in
            guard let self, state.withLock({ $0.starts == start }) else { return }
            setPlaying(true)
        }
    }

    /// Pauses: the next `play()` continues with the next sample.
    open func pause() {
        state.withLock { $0.starts += 1 }
        setPlaying(false)
    }

    /// Stops, discards what is scheduled, and returns the timeline to 0. Completion handlers of what
    /// is discarded are called.
    open func stop() {
        let callbacks = state.withLock { state in
            state.starts += 1
            state.isPlaying = false
            post.pause()
            post.removeAll()
            let callbacks = state.schedule.reset()
            update(&state)
            return callbacks
        }
        call(callbacks)
        AVAudioSession.sharedInstance().clientsChanged()
    }

    /// Stops, as `stop()`.
    open override func reset() { stop() }

    /// Does nothing: what is scheduled is decoded in advance.
    open func prepare(withFrameCount frameCount: AVAudioFrameCount) {}

    /// True if the node is playing, or will be as soon as the engine is running.
    open var isPlaying: Bool { state.withLock(\.isPlaying) }

    // MARK: Files

    /// Schedules a whole file.
    open func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(file.sound, at: when, NodeCallback(completionHandler))
    }

    /// Schedules a whole file.
    open func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(file.sound, at: when, NodeCallback(callbackType, completionHandler))
    }

    // MARK: Parts of files

    /// Schedules `numberFrames` frames of a file, as many of them as it has.
    open func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?,
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(
            file.sound(from: startFrame, frames: numberFrames), at: when,
            NodeCallback(completionHandler))
    }

    /// Schedules `numberFrames` frames of a file, as many of them as it has.
    open func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(
            file.sound(from: startFrame, frames: numberFrames), at: when,
            NodeCallback(callbackType, completionHandler))
    }

    // MARK: Buffers

    /// Schedules a buffer, which is copied.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(buffer, at: nil, options: [], completionHandler: completionHandler)
    }

    /// Schedules a buffer, which is copied.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(
            buffer, at: nil, options: [], completionCallbackType: callbackType,
            completionHandler: completionHandler)
    }

    /// Schedules a buffer, which is copied.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?,
        options: AVAudioPlayerNodeBufferOptions = [],
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(
            .memory(WaveFile(buffer)), at: when, options: options, NodeCallback(completionHandler))
    }

    /// Schedules a buffer, which is copied.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?,
        options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(
            .memory(WaveFile(buffer)), at: when, options: options,
            NodeCallback(callbackType, completionHandler))
    }

    // MARK: Time

    /// The time on the node's timeline that is heard at `nodeTime`, such as `lastRenderTime`, at
    /// the rate of the output format. Nil unless the node is heard.
    open func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
        guard let clock = nodeTime.clockTime else { return nil }
        return state.withLock { state in
            guard state.schedule.tempo > 0 else { return nil }
            let now = session.clock.now
            let time =
                state.schedule.time(at: now, heard)
                + Double(clock - now) / 1e9 * state.schedule.tempo
            let rate = state.conditions.sampleRate
            return AVAudioTime(
                hostTime: UInt64(max(0, clock)), sampleTime: Int64((time * rate).rounded()),
                atRate: rate)
        }
    }

    /// The time at which `playerTime`, a time of the node's timeline, is heard. Nil unless the node
    /// is heard.
    open func nodeTime(forPlayerTime playerTime: AVAudioTime) -> AVAudioTime? {
        guard playerTime.isSampleTimeValid, playerTime.sampleRate > 0 else { return nil }
        return state.withLock { state in
            guard state.schedule.tempo > 0 else { return nil }
            let now = session.clock.now
            let time = Double(playerTime.sampleTime) / playerTime.sampleRate
            let seconds = (time - state.schedule.time(at: now, heard)) / state.schedule.tempo
            return AVAudioTime(
                now: max(0, now + Int64((seconds * 1e9).rounded())),
                rate: state.conditions.sampleRate)
        }
    }

    // MARK: Mixing

    /// From 0, silent, to 1, the samples unchanged. Changes are ramped over 20 ms.
    open var volume: Float {
        get { state.withLock(\.volume) }
        set {
            state.withLock { state in
                state.volume = min(max(newValue, 0), 1)
                update(&state)
            }
        }
    }

    /// From -1, left, to 1, right. Stored for ported code; it has no effect.
    open var pan: Float {
        get { state.withLock(\.pan) }
        set { state.withLock { $0.pan = min(max(newValue, -1), 1) } }
    }
}
