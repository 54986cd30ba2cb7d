import Synchronization

/// One measurement of the output: at `hostTime`, frame `heard` of the stream left the device.
package struct ClockReading: Equatable, Sendable {
    /// Frames written to the device so far.
    package var written: Int
    /// `written` minus what the device reported to hold, including fractions of a frame. Nil if the
    /// device was emptied down to `written`: earlier frames are heard at their time, and later ones
    /// when the next reading says.
    package var heard: Double?
    /// The time of the measurement, in nanoseconds of CLOCK_MONOTONIC.
    package var hostTime: Int64
    /// Counts how often the device was emptied, after which earlier measurements mean nothing.
    package var epoch: Int
    /// The uncertainty of `hostTime` in nanoseconds: half of the time that the device took to
    /// answer.
    package var error: Int64
    /// The uncertainty in nanoseconds that all readings share, however many there are.
    package var bias: Int64

    package init(
        written: Int, heard: Double?, hostTime: Int64, epoch: Int = 0, error: Int64 = 0,
        bias: Int64 = 0
    ) {
        self.written = written
        self.heard = heard
        self.hostTime = hostTime
        self.epoch = epoch
        self.error = error
        self.bias = bias
    }
}

/// Passes the newest reading from one thread to others without a lock (a sequence lock: a reader
/// that meets a write in progress reads again).
package final class RenderClock: Sendable {
    private let version = Atomic<Int>(0)
    private let written = Atomic<Int>(0)
    private let heard = Atomic<UInt64>(0)
    private let hostTime = Atomic<Int64>(0)
    private let epoch = Atomic<Int>(0)
    private let error = Atomic<Int64>(0)
    private let bias = Atomic<Int64>(0)

    package init() {}

    /// Called by one thread only.
    @_noLocks
    package func publish(_ reading: ClockReading) {
        version.wrappingAdd(1, ordering: .acquiringAndReleasing)
        written.store(reading.written, ordering: .releasing)
        heard.store((reading.heard ?? .nan).bitPattern, ordering: .releasing)
        hostTime.store(reading.hostTime, ordering: .releasing)
        epoch.store(reading.epoch, ordering: .releasing)
        error.store(reading.error, ordering: .releasing)
        bias.store(reading.bias, ordering: .releasing)
        version.wrappingAdd(1, ordering: .releasing)
    }

    /// True if there is a reading newer than `seen`. Any thread.
    package func hasReading(after seen: Int) -> Bool { version.load(ordering: .acquiring) != seen }

    /// The newest reading, or nil if there is none newer than `seen`. Any thread.
    package func reading(after seen: inout Int) -> ClockReading? {
        while true {
            let before = version.load(ordering: .acquiring)
            guard before != seen else { return nil }
            let heard = Double(bitPattern: heard.load(ordering: .acquiring))
            let reading = ClockReading(
                written: written.load(ordering: .acquiring), heard: heard.isNaN ? nil : heard,
                hostTime: hostTime.load(ordering: .acquiring),
                epoch: epoch.load(ordering: .acquiring),
                error: error.load(ordering: .acquiring), bias: bias.load(ordering: .acquiring))
            if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before {
                seen = before
                return reading
            }
        }
    }
}
