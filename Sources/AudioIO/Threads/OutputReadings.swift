import Playback
import Synchronization

/// What the device says of when it is heard what was written, and what the clock is told of it.
extension OutputLoop where Output: ~Copyable {
    /// When the device began to take samples, at first or behind a stall.
    private var beginning: Int64 { max(startTime, stallEnd) }

    /// When the device's latency can be believed: at once where there is no real time.
    var settledTime: Int64 {
        target == 0 ? startTime : beginning + Self.settlingNanoseconds
    }

    mutating func takeReading() throws(OutputError) {
        guard output != nil else { return }
        guard let (latency, now) = try measure() else { return askAgain() }
        publish(latency, at: now)
        let excess = format.frames(nanoseconds: latency) + chunk - target
        nextWrite = target == 0 ? 0 : now + format.nanoseconds(frames: excess)
        // Soon after a start the clock is young: it is told again, ever more seldom.
        let age = now - beginning
        nextReading = target == 0 || age > Self.youthNanoseconds ? .max : now + age
    }

    /// Nobody knows what the device holds: it gets frames as fast as it plays them until it says so.
    private mutating func askAgain() {
        let now = HostTime.now()
        nextReading = now + Self.retryNanoseconds
        if nextWrite <= now { nextWrite = now + format.nanoseconds(frames: chunk) }
    }

    /// The device's latency, and when that was so; nil where only the device itself could say it, and
    /// did not. A thread that was kept from its processor while it asked does not know when: it asks
    /// again.
    private mutating func measure() throws(OutputError) -> (latency: Int64, hostTime: Int64)? {
        let now = HostTime.now()
        let isBehindStall = stallEnd > 0 && now < stallEnd + Self.recoveryNanoseconds
        let isYoung = now < startTime + Self.youthNanoseconds
        if target > 0, isYoung || isBehindStall {
            let exact = try call { output throws(OutputError) in try output?.exactLatency() }
            if let exact {
                isLatencyExact = true
                return (exact.nanoseconds, exact.hostTime)
            }
            if isBehindStall && isLatencyExact { return nil }
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
