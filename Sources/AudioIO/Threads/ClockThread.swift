import Playback
import Synchronization

/// The clock thread's loop: sleeps until the next thing is heard that somebody wants to know of, and
/// passes on what the output thread reports, which may not wait for anybody.
struct ClockThread: ~Copyable {
    /// Nanoseconds before the end of what the device was known to hold: more than lies between two
    /// readings.
    static let renewal: Int64 = 600_000_000
    /// By how much a reported second may be shorter or longer, so that one wake-up serves it and
    /// something else.
    static let tolerance: Int64 = 200_000_000
    /// Seconds below which an uncertainty is not worth reporting.
    static let certain = 0.001

    private let sampleRate: Int
    /// How long a silenced device may continue with what it had taken already.
    private let residue: Int64
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
    /// Readings of an earlier epoch are from before the last silence.
    private var epoch = 0
    /// The exact end of what is heard, and until when to wait for it.
    private var hold: (frame: Int, deadline: Int64, isLast: Bool)?
    private var isRunning = false
    /// When the first frame will be heard, by the last reading; nil: nothing is about to be.
    private var beginning: Int64?
    /// The frame at which the player stood still last.
    private var pausedFrame = 0
    private var isStopping = false
    /// The last time that was told of the current item.
    private var lastReported: CMTime?
    /// The uncertainty that was told last.
    private var reportedUncertainty = ClockThread.certain
    /// The host time that was told last.
    private var reportedTime: Int64 = 0
    /// When the next second has passed; nil: nobody wants to know.
    private var nextSecond: Int64?

    init(
        sampleRate: Int, residue: Int64, watches: [TimeWatch], control: ClockControl,
        hostClock: any HostClock, signals: PipelineSignals,
        timeline: SharedTimeline, readings: RenderClock,
        passOn: @escaping (OutputReport) -> Void, emit: @escaping (ClockEvent, Int64) -> Void
    ) {
        self.sampleRate = sampleRate
        self.residue = residue
        agenda = Agenda(TimelineObserver(sampleRate: sampleRate, watches: watches))
        clock = HeardClock(sampleRate: sampleRate)
        self.control = control
        self.hostClock = hostClock
        self.signals = signals
        self.timeline = timeline
        self.readings = readings
        self.passOn = passOn
        handler = emit
    }

    /// Runs until the output thread has stopped and all that it played is told.
    mutating func run() {
        while !(isStopping && hold == nil) {
            while let report = control.takeReport() {
                passOn(report)
                take(report)
            }
            for message in control.take() { take(message) }
            if timeline.update(&segments, seen: &seenTimeline) { agenda.update(in: segments) }
            if let reading = readings.reading(after: &seenReading) { take(reading) }
            let now = hostClock.now
            if let beginning, now >= beginning { begin(at: beginning) }
            let frame = clock.frame(at: now)
            tell(upTo: frame)
            if let hold, frame >= Double(hold.frame) || now >= hold.deadline {
                stand(at: hold, hostTime: now)
            }
            countSeconds(at: now)
            if control.isEmpty && !(isStopping && hold == nil) { wait(since: now) }
        }
        emit(.stopped, hostClock.now)
    }

    private mutating func take(_ reading: ClockReading) {
        // What the device reported before it was silenced says nothing about what follows.
        guard hold == nil, reading.epoch >= epoch else { return }
        clock.update(reading)
        guard reading.heard != nil else { return }
        if !isRunning {
            // The device may have silence to play first, or have begun a little before the reading.
            let start = clock.hostTime(of: Double(pausedFrame)) ?? reading.hostTime
            guard start <= hostClock.now else { return beginning = start }
            begin(at: start)
        }
        publishPosition(at: reading.hostTime)
        tellUncertainty(at: reading.hostTime)
    }

    /// Tells when the device's reports have become twice as uncertain as was told, or half as.
    private mutating func tellUncertainty(at hostTime: Int64) {
        let uncertainty = max(clock.uncertainty, Self.certain)
        guard uncertainty > 2 * reportedUncertainty || uncertainty < reportedUncertainty / 2 else {
            return
        }
        reportedUncertainty = uncertainty
        emit(.uncertain(uncertainty), hostTime)
    }

    /// The second is reported at `now`, which may lie before observations that are still to come.
    private mutating func countSeconds(at now: Int64) {
        guard control.isCountingSeconds else { return nextSecond = nil }
        guard let due = nextSecond else { return nextSecond = now + 1_000_000_000 }
        guard now >= due - Self.tolerance else { return }
        handler(.secondPassed, now)
        nextSecond = max(due, now) + 1_000_000_000
    }

    private mutating func take(_ message: ClockControl.Message) {
        switch message {
        case .watch(let watch):
            let frame = Int(clock.frame(at: hostClock.now))
            agenda.update(in: segments) { $0.add(watch, at: frame) }
        case .unwatch(let id):
            agenda.update(in: segments) { $0.remove(watch: id) }
        }
    }

    private mutating func take(_ report: OutputReport) {
        let now = hostClock.now
        switch report {
        case .held(let frame, let epoch):
            self.epoch = epoch
            // A sound too short for a reading has been heard all the same.
            if frame > pausedFrame { begin(at: now) }
            clock.hold(at: frame)
            hold = (frame, clock.isRunning ? now + residue : now, false)
        case .finished(let frame):
            if frame > pausedFrame { begin(at: now) }
            hold = (frame, now, true)
        case .lost(_, let heard, let epoch):
            self.epoch = epoch
            // What was told already is not taken back: the clock goes on from there.
            let frame = isRunning ? max(heard, Int(clock.frame(at: now))) : heard
            if frame > pausedFrame { begin(at: now) }
            clock.hold(at: frame)
            hold = (frame, now, false)
        case .failed:
            hold = (Int(clock.frame(at: now)), now, false)
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
    }

    /// Tells everything up to `frame`, each with the host time at which it was heard.
    private mutating func tell(upTo frame: Double) {
        while let (observation, at) = agenda.next, Double(at) <= frame {
            guard isRunning || isJump(observation) else { return }
            if case .crossed = observation, let hold, !hold.isLast, at >= hold.frame { return }
            let known = hostTime(of: observation, at: Double(at))
            // The clock may have gone a little past the place at which a device was emptied.
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

    /// When an observation was heard, nil when that cannot be said yet. What ends at a frame does so
    /// before anything begins there, where the device was emptied in between.
    private func hostTime(
        of observation: TimelineObserver.Observation, at frame: Double
    ) -> Int64? {
        switch observation {
        case .left, .ended: clock.hostTime(before: frame)
        case .began, .crossed: clock.hostTime(of: frame)
        }
    }

    /// Tells an event. Host times never run backwards, though the clock may have been set anew.
    private mutating func emit(_ event: ClockEvent, _ hostTime: Int64) {
        reportedTime = max(reportedTime, hostTime)
        handler(event, reportedTime)
    }

    /// Goes on to the next observation; a passage that is over leaves the timeline.
    private mutating func advance() {
        if let done = agenda.advance() {
            timeline.change { $0.remove(done) }
            timeline.update(&segments, seen: &seenTimeline)
        }
        agenda.lookUp(in: segments)
    }

    /// Whether an observation is told while the player stands still too.
    private func isJump(_ observation: TimelineObserver.Observation) -> Bool {
        switch observation {
        case .left: true
        case .began(let segment): segment.isJump
        case .crossed, .ended: false
        }
    }

    /// Stands still at the exact end of what was heard.
    private mutating func stand(
        at end: (frame: Int, deadline: Int64, isLast: Bool), hostTime: Int64
    ) {
        clock.stop(at: end.frame)
        tell(upTo: Double(end.frame))
        pausedFrame = end.frame
        hold = nil
        let wasRunning = isRunning
        isRunning = false
        publishPosition(at: hostTime)
        guard !end.isLast else { return emit(.finished, hostTime) }
        let place = place(at: end.frame)
        emit(
            .held(
                item: place?.item, time: place?.time ?? .invalid,
                isReported: !wasRunning || place == nil || place?.time == lastReported),
            hostTime)
    }

    /// Where in which item the player stands still. A multiple of the session's interval that is due
    /// just there is not told by itself: this is it.
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

    /// What is over is not heard any further, until something else is.
    private func publishEnd(of item: ItemID, at time: CMTime, hostTime: Int64) {
        control.position = HeardPosition(
            item: item, time: time, hostTime: hostTime, rate: 0, latest: time.seconds,
            uncertainty: clock.uncertainty)
    }

    /// Waits for what comes next, as it was known at `now`.
    private mutating func wait(since now: Int64) {
        var frame = hold?.frame
        if let next = agenda.next, isRunning || isJump(next.observation) {
            frame = min(frame ?? next.frame, next.frame)
        }
        var deadline = hold?.deadline
        // What is overdue waits for the device.
        if isRunning, let due = frame.flatMap({ clock.prediction(of: Double($0)) }),
            due > now
        {
            deadline = min(deadline ?? due, due)
        }
        if let beginning { deadline = min(deadline ?? beginning, beginning) }
        // Without a deadline only a reading can say more, if there is anything to tell at all.
        let wantsReading = deadline == nil && (frame != nil || !isRunning)
        if let nextSecond { deadline = min(deadline ?? .max, nextSecond + Self.tolerance) }
        signals.wantReading(from: wantsReading ? .min : renewalTime ?? .max)
        signals.clock.wait(until: deadline) { [seenReading, seenTimeline] in
            !control.isEmpty || timeline.hasChanged(since: seenTimeline)
                || wantsReading && frame != nil && readings.hasReading(after: seenReading)
        }
        signals.wantReading(from: .max)
    }

    /// From when on the position that was published needs a reading: no frame that the last one did
    /// not know of is told as heard, and the device is given more before it is through with those.
    private var renewalTime: Int64? {
        guard isRunning, let end = clock.prediction(of: clock.limit) else { return nil }
        return end - Self.renewal
    }
}
