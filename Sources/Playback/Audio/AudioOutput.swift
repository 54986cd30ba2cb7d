/// The port to a device that sounds. One thread owns an output and makes every call on it.
///
/// The device drives: it says how much it wants, and gets no more and no less.
package protocol AudioOutput: ~Copyable {
    /// Whether sound passes at the pace of a listener; else a frame counts as heard once it is written.
    var isRealTime: Bool { get }

    /// How many frames the device wants now. While there is none, `wait` waits for it.
    var room: Int { get }

    /// Whether what it says of its latency is a guess, so that more may be lost with it than it said.
    var isVague: Bool { get }

    /// Counts how often the device was exchanged for another, suspended or resumed: what it has said
    /// before says nothing of what is heard after that.
    var deviceChanges: Int { get }

    /// Takes all of `frames`, whole ones of the stream's format, and begins to sound when it was silent. Does not block
    /// for the device where that is real time.
    mutating func write(_ frames: UnsafeRawBufferPointer) throws(OutputError)

    /// When a frame that was written now would be heard; nil while the device does not know. Blocks
    /// for the device's answer, less than a millisecond as long as it works.
    mutating func reading() throws(OutputError) -> OutputReading?

    /// Falls silent and keeps what has not been heard; returns how many frames that is. Nothing is
    /// written until `resume` or `flush`. Up to one block of what came before may still sound, where a
    /// device cannot take that back; those frames are not counted.
    mutating func pause() throws(OutputError) -> Int

    /// Continues with the very next frame after a `pause`. Does not wait for the device.
    mutating func resume() throws(OutputError)

    /// Throws away what has not been heard, after a `pause` too, stays silent until the next `write`,
    /// and returns how many frames that were. Up to one block of what came before may still sound, where a device cannot
    /// take that back; those frames are not counted. With `toGoOn` it waits, a few milliseconds at
    /// most, for a moment when that block bridges the time until the next `write`, which follows at
    /// once.
    mutating func flush(toGoOn: Bool) throws(OutputError) -> Int

    /// Waits until `descriptor` can be read, the device wants frames or has changed, or until
    /// `deadline`, in nanoseconds of CLOCK_MONOTONIC. Errors: the device has gone.
    mutating func wait(until deadline: Int64?, or descriptor: Int32) throws(OutputError)

    /// The volume that the stream has on a sound server, as the device said last, or says now where
    /// it `isAsked`; nil: it has none, or does not tell. Asking blocks some milliseconds at most.
    mutating func streamVolume(isAsked: Bool) throws(OutputError) -> StreamVolume?

    /// Sets that volume; false when the device did not say within some milliseconds that it has.
    /// Called while it holds nothing of the stream, or silence only.
    mutating func setStreamVolume(_ change: StreamVolume.Change) throws(OutputError) -> Bool

    /// Says that no more is written for the time being: what is left is to be heard without a gap even
    /// where the device takes more than that at once. More may follow all the same. Does not block.
    mutating func expectEnd() throws(OutputError)

    /// Blocks until the device has taken all that was written, and for a sound that is shorter than its
    /// buffer's start until that has been heard.
    mutating func drain() throws(OutputError)

    /// Ends the stream in good order: for a file, its header is completed.
    consuming func close() throws(OutputError)
}

extension AudioOutput where Self: ~Copyable {
    // Samples carry all the loudness where there is no server.
    package mutating func streamVolume(isAsked: Bool) -> StreamVolume? { nil }
    package mutating func setStreamVolume(_ change: StreamVolume.Change) -> Bool { false }
    package mutating func expectEnd() {}
    package var isVague: Bool { false }
    package var deviceChanges: Int { 0 }
}

/// What a device says of its latency.
package struct OutputReading: Equatable, Sendable {
    /// Nanoseconds until a frame that is written now would be heard.
    package var latency: Int64
    /// When that was so, in nanoseconds of CLOCK_MONOTONIC.
    package var hostTime: Int64
    /// Nanoseconds by which `hostTime` may be off: half the time that the answer took.
    package var error: Int64
    /// Nanoseconds by which all readings of the stream may be off together, however many there are.
    package var bias: Int64
    /// Whether the device plays; one that is suspended lets nothing be heard until it is resumed.
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

/// Why sound cannot go out.
public typealias OutputError = CodedError<OutputErrorCode>

/// Why sound cannot go out, as a program reads it.
public enum OutputErrorCode: String, Hashable, Sendable, CaseIterable {
    /// No sound server answers.
    case serverUnavailable = "server-unavailable"
    /// The sound server does not let this user play.
    case accessDenied = "access-denied"
    /// The sound server went away while it played.
    case serverLost = "server-lost"
    /// The sound server has ended the stream.
    case streamEnded = "stream-ended"
    /// The server has no such device.
    case noSuchDevice = "no-such-device"
    /// The file that takes the sound cannot be written.
    case writeFailed = "write-failed"
    /// Nobody reads what is written into a pipe any more.
    case readerGone = "reader-gone"
}

extension OutputError {
    /// Whether the output may work later without anybody's help: a server returns, and lets nobody
    /// in that it did not let in before.
    package var isPassing: Bool { ![.writeFailed, .readerGone, .accessDenied].contains(code) }

    /// Whether the sound server is gone, and not only a stream or a device of it.
    package var isOfServer: Bool { code == .serverLost || code == .serverUnavailable }
}
