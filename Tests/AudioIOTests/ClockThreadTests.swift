import Playback
import Synchronization
import TestSupport
import Testing
import Threads

@testable import AudioIO

@Suite struct `A clock thread` {
    @Test func `tells a jump when what follows it is heard, though it had gone past its frame`()
        throws
    {
        let clock = RunningClock()
        let start = SystemClock().now
        clock.readings.publish(ClockReading(written: 44_100, heard: 0, hostTime: start))
        clock.wake()
        // At 20 ms; the device turns out to have been emptied from 19 ms on.
        _ = try clock.wait {
            $0 == .observed(.crossed(watch: .interval, clock.item, time: time(882)))
        }

        clock.readings.publish(
            ClockReading(written: 838, heard: nil, hostTime: SystemClock().now, epoch: 1))
        clock.jump(at: 838, to: time(220_500))
        let left = try clock.wait { $0 == .observed(.left(clock.item, time: time(838))) }
        let late = SystemClock().now + 50_000_000
        clock.readings.publish(
            ClockReading(written: 44_100, heard: 838, hostTime: late, epoch: 1))
        clock.wake()
        let began = try clock.wait { event in
            if case .observed(.began(let segment)) = event { segment.isJump } else { false }
        }
        try clock.stop()

        // 838 frames are 19.002 ms, and no time is told that is before one told already.
        #expect(left - start > 19_990_000)
        #expect(abs(began - late) < 2)
    }
}

private func time(_ frame: Int64) -> CMTime { CMTime(value: frame, timescale: 44_100) }

/// A clock thread that watches every hundredth second of one item, from its first frame on.
private final class RunningClock: Sendable {
    let item = ItemID(1)
    let readings = RenderClock()
    private let signals = PipelineSignals()
    private let timeline = SharedTimeline()
    private let control: ClockControl
    private let events = Mutex<[(event: ClockEvent, hostTime: Int64)]>([])
    private let told = Semaphore()

    init() {
        control = ClockControl(signals: signals)
        let segment = Timeline.Segment(passage: PassageID(1), item: item, start: 0)
        timeline.change { $0.begin(segment) }
        startThread(named: "clock") { [self] in
            let watch = TimeWatch(id: .interval, times: .every(CMTime(value: 1, timescale: 100)))
            var thread = ClockThread(
                sampleRate: 44_100, residue: 80_000_000, watches: [watch], control: control,
                hostClock: SystemClock(), signals: signals,
                timeline: timeline, readings: readings, passOn: { _ in }
            ) { event, hostTime in
                self.events.withLock { $0.append((event, hostTime)) }
                self.told.post()
            }
            thread.run()
        }
    }

    func wake() { signals.clock.wake() }

    /// Cuts the stream at `frame`, where it goes on with another time of the item.
    func jump(at frame: Int, to origin: CMTime) {
        timeline.change { timeline in
            timeline.cut(at: frame)
            timeline.begin(
                Timeline.Segment(
                    passage: PassageID(2), item: item, start: frame, origin: origin, isJump: true))
        }
        wake()
    }

    /// The host time of the first event that is wanted, once it is there.
    func wait(for isWanted: (ClockEvent) -> Bool) throws -> Int64 {
        while true {
            let found = events.withLock { $0.first { isWanted($0.event) }?.hostTime }
            if let found { return found }
            try told.waitPatiently(orSay: "an event does not come")
        }
    }

    func stop() throws {
        control.report(.stopped)
        _ = try wait { $0 == .stopped }
    }
}
