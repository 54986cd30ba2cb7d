/// The port to a device that plays sound. One thread owns an output and makes all calls to it.
///
/// The device drives: it says how much it wants, and gets exactly that.
package protocol AudioOutput: ~Copyable {
    /// True if sound plays at the listener's pace; otherwise a frame counts as heard once it is
    /// written.
    var isRealTime: Bool { get }

    /// The number of frames that the device wants now. If it is 0, `wait` waits for it to want
    /// some.
    var room: Int { get }

    /// The maximum number of frames to write at once, for the fewest wake-ups. More can be written.
    var blockLength: Int { get }

    /// True if its latency is an estimate, so that more frames may be lost with it than it
    /// reported.
    var isVague: Bool { get }

    /// Counts how often the device was exchanged, suspended or resumed: earlier readings say
    /// nothing about what is heard afterwards.
    var deviceChanges: Int { get }

    /// Takes all of `frames`, whole ones in the stream's format, and starts to play them if it was
    /// silent. Does not block for a device that is real time.
    mutating func write(_ frames: UnsafeRawBufferPointer) throws(OutputError)

    /// The time at which a frame written now would be heard; nil while the device does not know.
    /// Blocks for the device's answer, which takes less than a millisecond while it works.
    mutating func reading() throws(OutputError) -> OutputReading?

    /// Becomes silent and keeps the frames that have not been heard; returns their number. Nothing
    /// is written until `resume` or `flush`. If a device cannot take back what it holds, up to one
    /// block of earlier frames may still be heard; they are not counted.
    mutating func pause() throws(OutputError) -> Int

    /// True if `pause` keeps what has not been heard; otherwise it discards that, as `flush` does,
    /// and `resume` is not called.
    var keepsPausedFrames: Bool { get }

    /// Continues with the very next frame after a `pause`. Does not wait for the device.
    mutating func resume() throws(OutputError)

    /// Discards the frames that have not been heard, also after a `pause`, stays silent until the
    /// next `write`, and returns their number. If a device cannot take back what it holds, up to
    /// one block of earlier frames may still be heard; they are not counted. With `continuing` it
    /// waits, a few milliseconds at most, for a moment when that block bridges the time until the
    /// next `write`, which follows at once.
    mutating func flush(continuing: Bool) throws(OutputError) -> Int

    /// Waits until `descriptor` is readable, the device wants frames or has changed, or until
    /// `deadline`, in nanoseconds of CLOCK_MONOTONIC. It may return up to `waitEarliness` before
    /// the deadline if something wakes the thread then anyway.
    /// - Throws: An error if the device is gone.
    mutating func wait(until deadline: Int64?, or descriptor: Int32) throws(OutputError)

    /// The stream's volume on the sound server, as the device reported it last, or as it answers
    /// now if `isAsked`; nil if it has none or does not report it. Asking blocks for some
    /// milliseconds at most.
    mutating func streamVolume(isAsked: Bool) throws(OutputError) -> StreamVolume?

    /// Sets that volume. Returns false if the device did not confirm it within some milliseconds.
    /// Called only while the device holds nothing of the stream, or only silence.
    mutating func setStreamVolume(_ change: StreamVolume.Change) throws(OutputError) -> Bool

    /// Announces that nothing more is written for now: the device must play what it holds without a
    /// gap, even if it usually wants more than that at once. More may follow nevertheless. Does not
    /// block.
    mutating func expectEnd() throws(OutputError)

    /// Blocks until the device has taken everything that was written; if the sound is too short to
    /// start the device, blocks until it has been heard.
    mutating func drain() throws(OutputError)

    /// Ends the stream properly; for a file, completes its header.
    consuming func close() throws(OutputError)
}

extension AudioOutput where Self: ~Copyable {
    /// In nanoseconds.
    package static var waitEarliness: Int64 { 100_000_000 }

    // Without a server, the samples carry the whole loudness.
    package mutating func streamVolume(isAsked: Bool) -> StreamVolume? { nil }
    package mutating func setStreamVolume(_ change: StreamVolume.Change) -> Bool { false }
    package mutating func expectEnd() {}
    package var blockLength: Int { .max }
    package var isVague: Bool { false }
    package var keepsPausedFrames: Bool { true }
    package var deviceChanges: Int { 0 }
}

/// A device's report of its latency.
package struct OutputReading: Equatable, Sendable {
    /// Nanoseconds until a frame written now would be heard.
    package var latency: Int64
    /// The time of the measurement, in nanoseconds of CLOCK_MONOTONIC.
    package var hostTime: Int64
    /// The uncertainty of `hostTime` in nanoseconds: half of the time that the answer took.
    package var error: Int64
    /// The uncertainty in nanoseconds that all readings of the stream share, however many there
    /// are.
    package var bias: Int64
    /// True if the device plays; a suspended one plays nothing until it is resumed.
    package var isPlaying: Bool

    package init(
        latency: Int64, hostTime: Int64, error: Int64 = 0, bias: Int64 = 0, isPlaying: Bool = true
    ) {
        self.latency = latency
        self.hostTime = hostTime
        self.error = error
        self.bias = bias
        self.isPlaying = isPlaying
    }
}

/// The reason why sound cannot be output.
public typealias OutputError = CodedError<OutputErrorCode>

/// The reason why sound cannot be output, for programs.
public enum OutputErrorCode: String, Hashable, Sendable, CaseIterable {
    /// No sound server answers.
    case serverUnavailable = "server-unavailable"
    /// The sound server does not permit this user to play.
    case accessDenied = "access-denied"
    /// The sound server disconnected during playback.
    case serverLost = "server-lost"
    /// The sound server ended the stream.
    case streamEnded = "stream-ended"
    /// The server has no such device.
    case noSuchDevice = "no-such-device"
    /// The output file cannot be written.
    case writeFailed = "write-failed"
    /// The reader of the pipe is gone.
    case readerGone = "reader-gone"
}

extension OutputError {
    /// True if the output may work later on its own: a server may return, but does not admit a user
    /// that it has refused.
    package var isPassing: Bool { ![.writeFailed, .readerGone, .accessDenied].contains(code) }

    /// True if the sound server is gone, rather than only a stream or a device of it.
    package var isOfServer: Bool { code == .serverLost || code == .serverUnavailable }
}
