import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

/// A billion frames per second: one frame is one nanosecond, so that every number is exact.
private let nanosecondFrames = 1_000_000_000

@Suite(.blockingThreads) struct `A clock thread` {
    @Test func `A clock thread reports a jump when what follows is heard, even if past its frame`()
        throws
    {
        let clock = RunningClock(sampleRate: 44_100)
        let start = clock.now
        clock.publish(ClockReading(written: 44_100, heard: 0, hostTime: start))
        clock.advance(by: 0.021)
        // At 21 ms it becomes known that the device was emptied from 19 ms on.
        _ = try clock.wait(for: .observed(clock.crossing(882)))

        clock.publish(ClockReading(written: 838, heard: nil, hostTime: clock.now, epoch: 1))
        clock.jump(at: 838, to: clock.time(220_500))
        let left = try clock.wait(for: .observed(.left(clock.item, time: clock.time(838))))
        let late = clock.now + 50_000_000
        clock.publish(ClockReading(written: 44_100, heard: 838, hostTime: late, epoch: 1))
        clock.advance(by: 0.05)
        let began = try clock.wait { event in
            if case .observed(.began(let segment)) = event { segment.isJump } else { false }
        }
        _ = try clock.stop()

        // 838 frames are 19.002 ms, and no time is reported before one reported already.
        #expect(left - start > 19_990_000)
        #expect(abs(began - late) < 2)
    }

    @Test
    func `A clock thread reports what a silenced device still plays, and then where it stops`()
        throws
    {
        let clock = RunningClock(sampleRate: nanosecondFrames)
        let start = clock.now
        clock.publish(ClockReading(written: 9_000_000_000, heard: 0, hostTime: start))
        clock.advance(by: 0.5)
        _ = try clock.wait(for: .observed(clock.crossing(500_000_000)))

        try clock.report(.held(frame: 550_000_000, epoch: 1))
        clock.advance(by: 0.01)
        _ = try clock.wait(for: .observed(clock.crossing(510_000_000)))
        clock.advance(by: 0.06)
        let held = try clock.wait { if case .held = $0 { true } else { false } }
        let events = try clock.stop()

        let crossings = events.compactMap { event, hostTime in
            if case .observed(.crossed) = event { Int(hostTime - start) } else { nil }
        }
        #expect(crossings == Array(stride(from: 0, to: 550_000_000, by: 10_000_000)))
        #expect(held == start + 570_000_000)
        #expect(
            events.contains {
                $0.event
                    == .held(item: clock.item, time: clock.time(550_000_000), isReported: false)
            })
    }

    @Test
    func `A clock thread reports an item without a frame as begun and ended after all was heard`()
        throws
    {
        let clock = RunningClock(sampleRate: nanosecondFrames)
        clock.end(at: 0)

        try clock.report(.finished(frame: 0))
        _ = try clock.wait(for: .finished)
        let events = try clock.stop().map(\.event)

        #expect(events.first.map { if case .observed(.began) = $0 { true } else { false } } == true)
        #expect(events.dropFirst().first == .observed(.ended(clock.item, time: .zero)))
        #expect(!events.contains(.running))
    }

    @Test func `A clock thread does not mistake a reading from before the silence for a new one`()
        throws
    {
        let clock = RunningClock(sampleRate: nanosecondFrames)
        clock.publish(ClockReading(written: 9_000_000_000, heard: 0, hostTime: clock.now))
        clock.advance(by: 0.5)
        _ = try clock.wait(for: .observed(clock.crossing(500_000_000)))
        try clock.report(.held(frame: 500_000_000, epoch: 1))
        _ = try clock.wait { if case .held = $0 { true } else { false } }

        clock.publish(ClockReading(written: 9_000_000_000, heard: 600_000_000, hostTime: clock.now))
        let events = try clock.stop()

        #expect(events.count { $0.event == .running } == 1)
        #expect(events.last?.event == .stopped)
    }

    @Test func `A clock thread revokes nothing that it reported when the device disappears`()
        throws
    {
        let clock = RunningClock(sampleRate: nanosecondFrames)
        clock.publish(ClockReading(written: 9_000_000_000, heard: 0, hostTime: clock.now))
        clock.advance(by: 0.5)
        _ = try clock.wait(for: .observed(clock.crossing(500_000_000)))

        let error = OutputError(.serverLost, operation: "play", reason: "It has gone")
        try clock.report(.lost(error, frame: 450_000_000, epoch: 1))
        let held = try clock.wait { if case .held = $0 { true } else { false } }
        let events = try clock.stop()

        #expect(held == clock.now)
        #expect(
            events.contains {
                $0.event == .held(item: clock.item, time: clock.time(500_000_000), isReported: true)
            })
    }

    @Test func `A clock thread reports about each second while that is wanted`() throws {
        let clock = RunningClock(sampleRate: nanosecondFrames)
        let start = clock.now
        clock.publish(ClockReading(written: 9_000_000_000, heard: 0, hostTime: start))

        try clock.pass(tenths: 1...20)
        clock.countSeconds(true)
        try clock.pass(tenths: 21...55)
        clock.countSeconds(false)
        try clock.pass(tenths: 56...75)
        let events = try clock.stop()

        let times = events.filter { $0.event == .secondPassed }.map { $0.hostTime - start }
        #expect(times.count == 3)
        #expect(times.allSatisfy { (2_800_000_000...5_500_000_000).contains($0) })
        #expect(
            zip(times, times.dropFirst()).allSatisfy {
                (800_000_000...1_300_000_000).contains($1 - $0)
            })
    }
}

/// A clock thread that watches every hundredth of a second of one item, from its first frame on.
/// Its time is moved by hand, and so far from the machine's that nothing happens before it is
/// woken.
private final class RunningClock: Sendable {
    let item = ItemID(1)
    private let sampleRate: Int
    private let clock = ManualClock(now: SystemClock().now + 86_400_000_000_000)
    private let channels: PipelineChannels
    private var control: ClockControl { channels.clock }
    private var signals: PipelineSignals { channels.signals }
    private var timeline: SharedTimeline { channels.timeline }
    private let events = Mutex<[(event: ClockEvent, hostTime: Int64)]>([])
    private let reported = Semaphore()
    private let passedOn = Semaphore()

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        channels = PipelineChannels(hostClock: clock)
        let segment = Timeline.Segment(passage: PassageID(1), item: item, start: 0)
        timeline.change { $0.begin(segment) }
        startThread(named: "clock") { [self] in
            let watch = TimeWatch(id: .interval, times: .every(CMTime(value: 1, timescale: 100)))
            var thread = ClockThread(
                channels, sampleRate: sampleRate, tailLatency: 80_000_000, watches: [watch],
                passOn: { report in if case .works = report { self.passedOn.post() } }
            ) { event, hostTime in
                self.events.withLock { $0.append((event, hostTime)) }
                self.reported.post()
            }
            thread.run()
        }
    }

    var now: Int64 { clock.now }

    func time(_ frame: Int64) -> CMTime { CMTime(value: frame, timescale: Int32(sampleRate)) }

    func crossing(_ frame: Int64) -> TimelineObserver.Observation {
        .crossed(watch: .interval, item, time: time(frame))
    }

    func publish(_ reading: ClockReading) {
        channels.readings.publish(reading)
        signals.clock.wake()
    }

    /// Reports something, and returns once the thread has handled it.
    func report(_ report: OutputReport) throws {
        control.report(report)
        try settle()
    }

    /// Returns once the thread has handled all reports.
    private func settle() throws {
        control.report(.works)
        try passedOn.waitPatiently(orSay: "a report is not taken")
    }

    func advance(by seconds: Double) {
        clock.advance(by: seconds)
        signals.clock.wake()
    }

    /// Lets time pass in tenths of a second, each seen by the thread, while something is heard.
    func pass(tenths: ClosedRange<Int64>) throws {
        for tenth in tenths {
            advance(by: 0.1)
            _ = try wait(for: .observed(crossing(tenth * Int64(sampleRate) / 10)))
            // The thread handles this report after everything that accompanies that event.
            try settle()
        }
    }

    func countSeconds(_ isWanted: Bool) { control.isCountingSeconds = isWanted }

    /// Cuts the stream at `frame`, where it continues with another time of the item.
    func jump(at frame: Int, to origin: CMTime) {
        timeline.change { timeline in
            timeline.cut(at: frame)
            timeline.begin(
                Timeline.Segment(
                    passage: PassageID(2), item: item, start: frame, origin: origin, isJump: true))
        }
        signals.clock.wake()
    }

    /// Ends the item at `frame`.
    func end(at frame: Int) {
        timeline.change { $0.end(at: frame) }
        signals.clock.wake()
    }

    /// The host time of the first wanted event, once it has happened.
    func wait(for isWanted: (ClockEvent) -> Bool) throws -> Int64 {
        while true {
            let found = events.withLock { $0.first { isWanted($0.event) }?.hostTime }
            if let found { return found }
            try reported.waitPatiently(orSay: "an event does not come")
        }
    }

    func wait(for event: ClockEvent) throws -> Int64 { try wait { $0 == event } }

    /// Ends the thread; returns all its events.
    func stop() throws -> [(event: ClockEvent, hostTime: Int64)] {
        control.report(.stopped)
        _ = try wait(for: .stopped)
        return events.withLock { $0 }
    }
}
