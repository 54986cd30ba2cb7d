package import UndersongBase
package import UndersongPlayback

/// Plays nowhere, at the pace of a real device. Owned by the output thread.
package struct NullOutput: AudioOutput, ~Copyable {
    static let bufferMilliseconds = 3000
    static let requestMilliseconds = 1400

    private let format: StreamFormat
    private let clock: any HostClock
    /// Frame `anchor.frame` is "heard" at `anchor.hostTime`; nil while nothing is queued.
    private var anchor: (frame: Int, hostTime: Int64)?
    private var written = 0
    /// The frames held until `resume`.
    private var paused: Int?

    package init(format: StreamFormat, clock: any HostClock) {
        self.format = format
        self.clock = clock
    }

    package var isRealTime: Bool { true }

    package var room: Int {
        let held = format.frames(nanoseconds: max(0, latency(at: clock.now)))
        let room = format.frames(milliseconds: Self.bufferMilliseconds) - held
        return room >= format.frames(milliseconds: Self.requestMilliseconds) ? room : 0
    }

    package mutating func write(_ frames: UnsafeRawBufferPointer) {
        let now = clock.now
        // After an underrun the device starts again with these frames.
        if latency(at: now) <= 0 { anchor = (written, now) }
        written += frames.count / format.bytesPerFrame
    }

    package mutating func reading() -> OutputReading? {
        let now = clock.now
        return OutputReading(latency: max(0, latency(at: now)), hostTime: now)
    }

    package mutating func pause() -> Int {
        if let paused { return paused }
        let unheard = format.frames(nanoseconds: max(0, latency(at: clock.now)))
        anchor = nil
        paused = unheard
        return unheard
    }

    package mutating func resume() {
        guard let unheard = paused.take() else { return }
        anchor = (written - unheard, clock.now)
    }

    package mutating func flush(continuing: Bool) -> Int {
        let dropped = pause()
        paused = nil
        written -= dropped
        return dropped
    }

    package mutating func wait(until deadline: Int64?, or descriptor: Int32) {
        let now = clock.now
        let kept = Int64(Self.bufferMilliseconds - Self.requestMilliseconds) * 1_000_000
        let rest = latency(at: now) - kept
        // If there is room left, the caller has nothing to write.
        let request = rest > 0 ? now + rest : .max
        Wakeup.wait(for: descriptor, until: min(deadline ?? .max, request))
    }

    package mutating func drain() {
        let now = clock.now
        clock.sleep(until: now + max(0, latency(at: now)))
    }

    package consuming func close() {}

    private func latency(at hostTime: Int64) -> Int64 {
        guard let anchor else { return 0 }
        return format.nanoseconds(frames: written - anchor.frame) - (hostTime - anchor.hostTime)
    }
}
