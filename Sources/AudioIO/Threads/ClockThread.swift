package import Playback
import Synchronization

/// The timeline that the decode thread writes and the clock thread reads.
final class SharedTimeline: Sendable {
    private let timeline = Mutex(Timeline())

    func begin(_ item: ItemID, at frame: Int) { timeline.withLock { $0.begin(item, at: frame) } }

    func end(at frame: Int) { timeline.withLock { $0.end(at: frame) } }

    func removeFirst() { timeline.withLock { $0.removeFirst() } }

    var current: Timeline { timeline.withLock { $0 } }
}

/// What is heard, at the moment it is heard; the handler runs on the clock thread.
package enum ClockEvent: Equatable, Sendable {
    /// Sound has begun to come out, at first or after a hold.
    case running
    /// An item begins, its time crosses a multiple of the interval, or it ends.
    case observed(TimelineObserver.Observation)
    /// Sound has ceased. `item` and `time` are where, exactly; nil when nothing was heard yet.
    case held(item: ItemID?, time: CMTime)
    /// The last frame of the stream has been heard.
    case finished
    /// Nothing more will be told.
    case stopped
}

/// What the output thread reports to the clock thread. Any thread may call it; nothing here waits.
final class ClockControl: Sendable {
    private let reports = Mutex<[OutputReport]>([])
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    func send(_ report: OutputReport) {
        reports.withLock { $0.append(report) }
        signals.clock.wake()
    }

    var isEmpty: Bool { reports.withLock(\.isEmpty) }

    func take() -> [OutputReport] {
        reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
    }
}

/// The clock thread's loop: sleeps until the next thing is heard that somebody wants to know of.
struct ClockThread: ~Copyable {
    /// How long a silenced device may go on with what it had taken already.
    static let residue: Int64 = 80_000_000

    private let control: ClockControl
    private let signals: PipelineSignals
    private let timeline: SharedTimeline
    private let readings: RenderClock
    private let emit: (ClockEvent, _ hostTime: Int64) -> Void

    private var observer: TimelineObserver
    private var clock: HeardClock
    private var seen = 0
    /// The exact end of what is heard, and until when to wait for it.
    private var hold: (frame: Int, deadline: Int64, isLast: Bool)?
    private var isRunning = false
    /// The frame at which the player stood still last.
    private var standing = 0
    private var isStopping = false
    /// The last time that was told of the current item.
    private var lastTold: CMTime?

    init(
        sampleRate: Int, interval: CMTime?, control: ClockControl, signals: PipelineSignals,
        timeline: SharedTimeline, readings: RenderClock,
        emit: @escaping (ClockEvent, Int64) -> Void
    ) {
        observer = TimelineObserver(sampleRate: sampleRate, interval: interval)
        clock = HeardClock(sampleRate: sampleRate)
        self.control = control
        self.signals = signals
        self.timeline = timeline
        self.readings = readings
        self.emit = emit
    }

    /// Runs until the output thread has stopped and all that it played is told.
    mutating func run() {
        while !(isStopping && hold == nil) {
            for report in control.take() { take(report) }
            if let reading = readings.reading(after: &seen) { take(reading) }
            let now = HostTime.now()
            let frame = clock.frame(at: now)
            tell(upTo: frame)
            if let hold, frame >= Double(hold.frame) || now >= hold.deadline {
                stand(at: hold, hostTime: now)
            }
            if control.isEmpty && !(isStopping && hold == nil) { wait() }
        }
        emit(.stopped, HostTime.now())
    }

    private mutating func take(_ reading: ClockReading) {
        // What the device reported before it was silenced says nothing about what follows.
        guard hold == nil else { return }
        clock.update(reading)
        // The first reading comes a little after the first frame.
        begin(at: clock.hostTime(of: Double(standing)) ?? reading.hostTime)
    }

    private mutating func take(_ report: OutputReport) {
        let now = HostTime.now()
        switch report {
        case .held(let frame):
            // A sound too short for a reading has been heard all the same.
            if frame > standing { begin(at: now) }
            clock.hold(at: frame)
            hold = (frame, clock.isRunning ? now + Self.residue : now, false)
        case .finished(let frame):
            begin(at: now)
            hold = (frame, now, true)
        case .failed:
            hold = (Int(clock.frame(at: now)), now, false)
        case .stopped:
            isStopping = true
        }
    }

    private mutating func begin(at hostTime: Int64) {
        guard !isRunning else { return }
        isRunning = true
        emit(.running, hostTime)
    }

    /// Tells everything up to `frame`, each with the host time at which it was heard.
    private mutating func tell(upTo frame: Double) {
        guard isRunning else { return }
        while let (observation, at) = observer.next(in: timeline.current), Double(at) <= frame {
            if case .tick = observation, let hold, !hold.isLast, at >= hold.frame { return }
            emit(.observed(observation), clock.hostTime(of: Double(at)) ?? HostTime.now())
            observer.advance(past: observation)
            lastTold = nil
            if case .tick(_, let time) = observation { lastTold = time }
            if case .ended = observation { timeline.removeFirst() }
        }
    }

    /// Stands still at the exact end of what was heard.
    private mutating func stand(
        at end: (frame: Int, deadline: Int64, isLast: Bool), hostTime: Int64
    ) {
        clock.stop(at: end.frame)
        tell(upTo: Double(end.frame))
        standing = end.frame
        hold = nil
        guard !end.isLast else { return emit(.finished, hostTime) }
        let place = isRunning ? place(at: end.frame) : nil
        isRunning = false
        let isTold = place != nil && place?.time == lastTold
        emit(.held(item: isTold ? nil : place?.item, time: place?.time ?? .invalid), hostTime)
    }

    /// Where in which item the player stands still. A tick that is due just there is not told by
    /// itself: this is it.
    private mutating func place(at frame: Int) -> (item: ItemID, time: CMTime)? {
        let timeline = timeline.current
        if let (observation, at) = observer.next(in: timeline), at == frame,
            case .tick(let item, let time) = observation
        {
            observer.advance(past: observation)
            return (item, time)
        }
        return observer.time(at: frame, in: timeline)
    }

    private mutating func wait() {
        let next = [hold?.frame, observer.next(in: timeline.current)?.frame].compactMap { $0 }.min()
        let due = isRunning ? next.flatMap { clock.prediction(of: Double($0)) } : nil
        // What is overdue waits for the device.
        let deadline = [due.flatMap { $0 > HostTime.now() ? $0 : nil }, hold?.deadline]
            .compactMap { $0 }.min()
        // Without a deadline only a reading can say more, if there is anything to tell at all.
        signals.clockWantsReading.store(
            deadline == nil && (next != nil || !isRunning), ordering: .sequentiallyConsistent)
        defer { signals.clockWantsReading.store(false, ordering: .relaxed) }
        signals.clock.wait(until: deadline) { [seen] in
            var seen = seen
            return !control.isEmpty
                || deadline == nil && next != nil && readings.reading(after: &seen) != nil
        }
    }
}
