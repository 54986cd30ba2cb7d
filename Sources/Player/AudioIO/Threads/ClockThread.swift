import Synchronization
import UndersongBase
import UndersongPlayback

/// The clock thread's loop: sleeps until something is heard that is to be reported, and passes on
/// the reports of the output thread, which must not wait.
struct ClockThread: ~Copyable {
    /// The nanoseconds by which to renew a reading before the end of what the device was known to
    /// hold: more than the interval of two readings.
    static let renewal: Int64 = 600_000_000
    /// The nanoseconds by which a reported second may be shorter or longer, so that one wake-up can
    /// serve several purposes.
    static let tolerance: Int64 = 200_000_000
    /// The uncertainty in seconds below which it is not reported.
    static let certain = 0.001

    /// The end of the sound.
    private struct Hold {
        enum Cause {
            case held, starved, finished
        }

        var frame: Int
        var deadline: Int64
        var cause: Cause
    }

    private let sampleRate: Int
    /// The nanoseconds for which a silenced device may continue to play what it already holds.
    private let tailLatency: Int64
    private let control: ClockControl
    private let hostClock: any HostClock
    private let signals: PipelineSignals
    private let timeline: SharedTimeline
    private let readings: RenderClock
    private let passOn: (OutputReport) -> Void
    private let handler: (ClockEvent, _ hostTime: Int64) -> Void

    private var agenda: Agenda
    private var clock: HeardClock
    private var segments = Timeline()
    private var seenTimeline = -1
    private var seenReading = 0
    /// Readings of an earlier epoch were taken before the last silence.
    private var epoch = 0
    /// The exact frame where sound stops, and until when to wait for it.
    private var hold: Hold?
    private var isRunning = false
    /// True if sound last stopped for want of bytes.
    private var isStarved = false
    /// The time at which the first frame will be heard, by the last reading; nil if none is about
    /// to be.
    private var beginning: Int64?
    /// The frame at which playback last stopped.
    private var pausedFrame = 0
    private var isStopping = false
    /// The time of the current item reported last.
    private var lastReported: CMTime?
    /// The uncertainty reported last.
    private var reportedUncertainty = ClockThread.certain
    /// The host time reported last.
    private var reportedTime: Int64 = 0
    /// The time at which to report the next second; nil if not requested.
    private var nextSecond: Int64?

    init(
        _ channels: PipelineChannels, sampleRate: Int, tailLatency: Int64, watches: [TimeWatch],
        passOn: @escaping (OutputReport) -> Void, emit: @escaping (ClockEvent, Int64) -> Void
    ) {
        self.sampleRate = sampleRate
        self.tailLatency = tailLatency
        agenda = Agenda(TimelineObserver(sampleRate: sampleRate, watches: watches))
        clock = HeardClock(sampleRate: sampleRate)
        control = channels.clock
        hostClock = channels.hostClock
        signals = channels.signals
        timeline = channels.timeline
        readings = channels.readings
        self.passOn = passOn
        handler = emit
    }

    /// Runs until the output thread has stopped and everything that it played is reported.
    mutating func run() {
        while !(isStopping && hold == nil) {
            while let report = control.popReport() {
                passOn(report)
                apply(report)
            }
            for message in control.popMessages() { apply(message) }
            if timeline.update(&segments, seen: &seenTimeline) { agenda.update(in: segments) }
            if let reading = readings.reading(after: &seenReading) { apply(reading) }
            let now = hostClock.now
            if let beginning, now >= beginning { begin(at: beginning) }
            let frame = clock.frame(at: now)
            report(upTo: frame)
            if let hold, frame >= Double(hold.frame) || now >= hold.deadline {
                stop(at: hold, hostTime: now)
            }
            countSeconds(at: now)
            if control.isEmpty && !(isStopping && hold == nil) { wait(since: now) }
        }
        emit(.stopped, hostClock.now)
    }

    private mutating func apply(_ reading: ClockReading) {
        // Earlier readings from before the device was silenced say nothing about what follows.
        guard hold == nil, reading.epoch >= epoch else { return }
        clock.update(reading)
        guard reading.heard != nil else { return }
        if !isRunning {
            // The device may have silence to play first, or may have begun a little before the
            // reading.
            let start = clock.hostTime(of: Double(pausedFrame)) ?? reading.hostTime
            guard start <= hostClock.now else { return beginning = start }
            begin(at: start)
        }
        publishPosition(at: reading.hostTime)
        reportUncertainty(at: reading.hostTime)
    }

    /// Reports the uncertainty of the device's reports when it has doubled or halved.
    private mutating func reportUncertainty(at hostTime: Int64) {
        let uncertainty = max(clock.uncertainty, Self.certain)
        guard uncertainty > 2 * reportedUncertainty || uncertainty < reportedUncertainty / 2 else {
            return
        }
        reportedUncertainty = uncertainty
        emit(.uncertain(uncertainty), hostTime)
    }

    /// This is reported as of now, not as of what is heard, which may be earlier.
    private mutating func countSeconds(at now: Int64) {
        guard control.isCountingSeconds else { return nextSecond = nil }
        guard let due = nextSecond else { return nextSecond = now + 1_000_000_000 }
        guard now >= due - Self.tolerance else { return }
        handler(.secondPassed, now)
        nextSecond = max(due, now) + 1_000_000_000
    }

    private mutating func apply(_ message: ClockControl.Message) {
        switch message {
        case .watch(let watch):
            let frame = Int(clock.frame(at: hostClock.now))
            agenda.update(in: segments) { $0.add(watch, at: frame) }
        case .unwatch(let id):
            agenda.update(in: segments) { $0.remove(watch: id) }
        }
    }

    private mutating func apply(_ report: OutputReport) {
        let now = hostClock.now
        switch report {
        case .held(let frame, let epoch):
            self.epoch = epoch
            // A sound too short for a reading has been heard nevertheless.
            if frame > pausedFrame { begin(at: now) }
            clock.hold(at: frame)
            hold = Hold(
                frame: frame, deadline: clock.isRunning ? now + tailLatency : now, cause: .held)
        case .finished(let frame):
            if frame > pausedFrame { begin(at: now) }
            hold = Hold(frame: frame, deadline: now, cause: .finished)
        case .starved(let frame):
            if frame > pausedFrame { begin(at: now) }
            hold = Hold(frame: frame, deadline: now, cause: .starved)
        case .lost(_, let heard, let epoch):
            self.epoch = epoch
            // Reported times are never taken back: the clock continues from there.
            let frame = isRunning ? max(heard, Int(clock.frame(at: now))) : heard
            if frame > pausedFrame { begin(at: now) }
            clock.hold(at: frame)
            hold = Hold(frame: frame, deadline: now, cause: .held)
        case .failed:
            hold = Hold(frame: Int(clock.frame(at: now)), deadline: now, cause: .held)
        case .stillLost, .works, .settingVolume: return
        case .stopped:
            isStopping = true
        }
        beginning = nil
    }

    private mutating func begin(at hostTime: Int64) {
        beginning = nil
        guard !isRunning else { return }
        isRunning = true
        emit(.running, hostTime)
        if isStarved { emit(.replenished, hostTime) }
        isStarved = false
    }

    /// Reports everything up to `frame`, each with the host time at which it was heard.
    private mutating func report(upTo frame: Double) {
        while let (observation, at) = agenda.next, Double(at) <= frame {
            guard isRunning || isHeardOut || isJump(observation) else { return }
            if case .crossed = observation, let hold, hold.cause != .finished, at >= hold.frame {
                return
            }
            let known = hostTime(of: observation, at: Double(at))
            // The clock may have run a little past the place at which a device was emptied.
            guard known != nil || !clock.isRunning else { return }
            let hostTime = known ?? hostClock.now
            advance()
            lastReported = nil
            if case .crossed(watch: .interval, _, let time) = observation { lastReported = time }
            switch observation {
            case .began: publishPosition(at: hostTime)
            case .ended(let item, let time), .left(let item, let time):
                publishEnd(of: item, at: time, hostTime: hostTime)
            case .crossed: break
            }
            emit(.observed(observation), hostTime)
        }
    }

    /// The time at which an observation was heard; nil if not known yet. A passage's end at a frame
    /// comes before a beginning there if the device was emptied in between.
    private func hostTime(
        of observation: TimelineObserver.Observation, at frame: Double
    ) -> Int64? {
        switch observation {
        case .left, .ended: clock.hostTime(before: frame)
        case .began, .crossed: clock.hostTime(of: frame)
        }
    }

    /// Reports an event. Host times never run backward, even if the clock was readjusted.
    private mutating func emit(_ event: ClockEvent, _ hostTime: Int64) {
        reportedTime = max(reportedTime, hostTime)
        handler(event, reportedTime)
    }

    /// Continues to the next observation; a passage that has ended leaves the timeline.
    private mutating func advance() {
        if let done = agenda.advance() {
            timeline.change { $0.remove(done) }
            timeline.update(&segments, seen: &seenTimeline)
        }
        agenda.lookUp(in: segments)
    }

    /// True if everything was heard: passages without a single frame begin and end there too.
    private var isHeardOut: Bool { hold?.cause == .finished }

    /// True if an observation is reported even while playback is stopped.
    private func isJump(_ observation: TimelineObserver.Observation) -> Bool {
        switch observation {
        case .left: true
        case .began(let segment): segment.isJump
        case .crossed, .ended: false
        }
    }

    /// Stops at the exact end of what was heard.
    private mutating func stop(at end: Hold, hostTime: Int64) {
        clock.stop(at: end.frame)
        report(upTo: Double(end.frame))
        pausedFrame = end.frame
        hold = nil
        let wasRunning = isRunning
        isRunning = false
        publishPosition(at: hostTime)
        guard end.cause != .finished else { return emit(.finished, hostTime) }
        let place = place(at: end.frame)
        let isReported = !wasRunning || place == nil || place?.time == lastReported
        let time = place?.time ?? .invalid
        if end.cause == .starved {
            isStarved = true
            emit(.starved(item: place?.item, time: time, isReported: isReported), hostTime)
        } else {
            emit(.held(item: place?.item, time: time, isReported: isReported), hostTime)
        }
    }

    /// The item and time at which playback is stopped. A multiple of the session's interval due
    /// exactly there is not reported separately.
    private mutating func place(at frame: Int) -> (item: ItemID, time: CMTime)? {
        if let (observation, at) = agenda.next, at == frame,
            case .crossed(watch: .interval, let item, let time) = observation
        {
            advance()
            return (item, time)
        }
        return agenda.time(at: frame)
    }

    private mutating func publishPosition(at hostTime: Int64) {
        guard let segment = agenda.passage else { return }
        let frame = isRunning ? clock.frame(at: hostTime) : Double(pausedFrame)
        let time = segment.time(at: max(Int(frame), segment.start), sampleRate: sampleRate)
        let limit = segment.time(at: Int(max(frame, clock.limit)), sampleRate: sampleRate)
        control.position = HeardPosition(
            item: segment.item, time: time, hostTime: hostTime,
            rate: isRunning ? segment.rate : 0, latest: max(time.seconds, limit.seconds),
            uncertainty: clock.uncertainty)
    }

    /// Publishes the position of an item that has ended, which stays until another is heard.
    private func publishEnd(of item: ItemID, at time: CMTime, hostTime: Int64) {
        control.position = HeardPosition(
            item: item, time: time, hostTime: hostTime, rate: 0, latest: time.seconds,
            uncertainty: clock.uncertainty)
    }

    /// Waits for what comes next, as known at `now`.
    private mutating func wait(since now: Int64) {
        var frame = hold?.frame
        if let next = agenda.next, isRunning || isJump(next.observation) {
            frame = min(frame ?? next.frame, next.frame)
        }
        var deadline = hold?.deadline
        // An overdue observation waits for the device.
        if isRunning, let due = frame.flatMap({ clock.prediction(of: Double($0)) }),
            due > now
        {
            deadline = min(deadline ?? due, due)
        }
        if let beginning { deadline = min(deadline ?? beginning, beginning) }
        // Without a deadline only a reading can help, provided that there is something to report.
        let wantsReading = deadline == nil && (frame != nil || !isRunning)
        if let nextSecond { deadline = min(deadline ?? .max, nextSecond + Self.tolerance) }
        signals.wantReading(from: wantsReading ? .min : renewalTime ?? .max)
        signals.clock.wait(until: deadline) { [seenReading, seenTimeline] in
            !control.isEmpty || timeline.hasChanged(since: seenTimeline)
                || wantsReading && frame != nil && readings.hasReading(after: seenReading)
        }
        signals.wantReading(from: .max)
    }

    /// From when on the published position needs a new reading: no frame beyond the last reading is
    /// reported as heard, and the device is given more frames before it has played those.
    private var renewalTime: Int64? {
        guard isRunning, let end = clock.prediction(of: clock.limit) else { return nil }
        return end - Self.renewal
    }
}
