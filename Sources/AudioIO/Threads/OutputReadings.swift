import Playback
import Synchronization

/// What the device says of when it is heard what was written, and what the clock is told of it.
extension OutputLoop where Output: ~Copyable {
    /// When the device's latency can be believed: at once where there is no real time.
    var settledTime: Int64 {
        target == 0 ? startTime : startTime + Self.settlingNanoseconds
    }

    mutating func takeReading() throws(OutputError) {
        guard output != nil else { return }
        let (latency, now) = try measure()
        publish(latency, at: now)
        let excess = format.frames(nanoseconds: latency) + chunk - target
        nextWrite = target == 0 ? 0 : now + format.nanoseconds(frames: excess)
        // Soon after a start the clock is young: it is told again, ever more seldom.
        let age = now - startTime
        nextReading = target == 0 || age > Self.youthNanoseconds ? .max : now + age
    }

    /// The device's latency, and when that was so. A thread that was kept from its processor while it
    /// asked does not know when: it asks again.
    private mutating func measure() throws(OutputError) -> (latency: Int64, hostTime: Int64) {
        if target > 0, HostTime.now() < doubtEnd,
            let exact = try call({ output throws(OutputError) in try output?.exactLatency() })
        {
            isLatencyExact = true
            return (exact.nanoseconds, exact.hostTime)
        }
        var best = (latency: Int64(0), hostTime: Int64(0))
        var least = Int64.max
        for _ in 0..<Self.measurementTries {
            let start = HostTime.now()
            let latency = try call { output throws(OutputError) in try output?.latency() } ?? 0
            let duration = HostTime.now() - start
            if duration < least { (best, least) = ((latency, start + duration / 2), duration) }
            if duration < Self.quickMeasurement { break }
        }
        return best
    }

    /// Tells the clock when what follows a flush is heard, as soon as the device knows.
    mutating func bridge() throws(OutputError) {
        guard writtenSinceStart >= format.frames(milliseconds: Self.startMilliseconds) else {
            return
        }
        isBridging = false
        if let exact = try call({ output throws(OutputError) in try output?.exactLatency() }) {
            publish(exact.nanoseconds, at: exact.hostTime)
        }
    }

    mutating func publish(_ latency: Int64, at hostTime: Int64) {
        isClockRunning = true
        let queued = Double(latency) * Double(format.sampleRate) / 1e9
        let heard = Double(frames.position) - queued
        lastReading = (heard, hostTime)
        clock.publish(
            ClockReading(
                written: frames.position, heard: heard, hostTime: hostTime, epoch: epoch))
        signals.hasReading(of: hostTime)
    }
}
