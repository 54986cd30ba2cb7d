package import Playback

/// Plays nowhere, at the pace of a real device. Owned by the output thread.
package struct NullOutput: AudioOutput, ~Copyable {
    static let bufferMilliseconds = 3000
    static let targetMilliseconds = 1500

    private let format: StreamFormat
    /// Frame `anchor.frame` is "heard" at `anchor.hostTime`; nil while nothing is queued.
    private var anchor: (frame: Int, hostTime: Int64)?
    private var written = 0

    package init(format: StreamFormat) { self.format = format }

    package var targetLatency: Int { format.frames(milliseconds: Self.targetMilliseconds) }
    package var spareRoom: Int {
        format.frames(milliseconds: Self.bufferMilliseconds - Self.targetMilliseconds)
    }

    package mutating func write(_ samples: UnsafeBufferPointer<Int16>) {
        let now = HostTime.now()
        let room = format.nanoseconds(frames: format.frames(milliseconds: Self.bufferMilliseconds))
        let excess = latency(at: now) - room
        if excess > 0 { HostTime.sleep(until: now + excess) }
        // After an underrun the device starts afresh with what comes now.
        if latency(at: now) <= 0 { anchor = (written, now) }
        written += samples.count / format.channelCount
    }

    package mutating func latency() -> Int64 { max(0, latency(at: HostTime.now())) }

    package mutating func exactLatency() -> (nanoseconds: Int64, hostTime: Int64)? {
        let now = HostTime.now()
        return (max(0, latency(at: now)), now)
    }

    package mutating func flush(toGoOn: Bool) -> Int {
        let dropped = format.frames(nanoseconds: latency())
        written -= dropped
        anchor = nil
        return dropped
    }

    package mutating func drain() {
        let now = HostTime.now()
        HostTime.sleep(until: now + latency(at: now))
    }

    package consuming func close() {}

    private func latency(at hostTime: Int64) -> Int64 {
        guard let anchor else { return 0 }
        return format.nanoseconds(frames: written - anchor.frame) - (hostTime - anchor.hostTime)
    }
}
