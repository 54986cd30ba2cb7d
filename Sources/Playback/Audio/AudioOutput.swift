/// The port to a device that sounds. One thread owns an output and makes every call on it.
package protocol AudioOutput: ~Copyable {
    /// How many frames the device wants to hold, so that neither it nor the writer hurries: the
    /// output thread writes while the latency is below this. Zero when there is no real time.
    var targetLatency: Int { get }

    /// How many frames more it takes before a write waits: so much is written to a device that
    /// stands still before anybody notices.
    var spareRoom: Int { get }

    /// Takes all of `samples`, whole frames. Blocks until the device has room, at most one buffer.
    mutating func write(_ samples: UnsafeBufferPointer<Int16>) throws(OutputError)

    /// Nanoseconds until a frame that is written now would be heard. Does not block once sound runs.
    mutating func latency() throws(OutputError) -> Int64

    /// What `latency` tells, as exactly as the device knows it, and when that was so; nil when the
    /// device does not tell more than `latency`. It is known behind a flush as soon as some frames
    /// are written, before they are heard. Blocks for the device's answer, some milliseconds at most.
    mutating func exactLatency() throws(OutputError) -> (nanoseconds: Int64, hostTime: Int64)?

    /// Throws away what has not been heard and returns how many frames that were. Up to one device
    /// block of what came before may still sound; those frames are not counted. With `toGoOn` it
    /// waits, a few milliseconds at most, for a moment when that block bridges the time until the
    /// next `write`, which follows at once.
    mutating func flush(toGoOn: Bool) throws(OutputError) -> Int

    /// The volume that the stream has on a sound server, as the device said last, or says now where
    /// it `isAsked`; nil: it has none, or does not tell. Asking blocks some milliseconds at most.
    mutating func streamVolume(isAsked: Bool) -> StreamVolume?

    /// Sets that volume; false when the device did not say within some milliseconds that it has.
    /// Called while it holds nothing of the stream, or silence only.
    mutating func setStreamVolume(_ change: StreamVolume.Change) -> Bool

    /// Blocks until all that was written has been heard.
    mutating func drain() throws(OutputError)

    /// Ends the stream in good order: for a file, its header is completed.
    consuming func close() throws(OutputError)
}

extension AudioOutput where Self: ~Copyable {
    // Samples carry all the loudness where there is no server.
    package mutating func streamVolume(isAsked: Bool) -> StreamVolume? { nil }
    package mutating func setStreamVolume(_ change: StreamVolume.Change) -> Bool { false }
}

/// Why sound cannot go out.
public struct OutputError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The reason as a program reads it.
    public enum Code: String, Sendable {
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

    /// Whether the output may work later without anybody's help: a server returns, and lets nobody
    /// in that it did not let in before.
    package var isPassing: Bool { ![.writeFailed, .readerGone, .accessDenied].contains(code) }

    /// What kind of failure it is.
    public let code: Code
    /// What was tried: `connect to the sound server`.
    public let operation: String
    /// Why it failed: `Connection refused`.
    public let reason: String

    package init(_ code: Code, operation: String, reason: String) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }

    /// One lower-case clause without a period.
    public var description: String { "cannot \(operation): \(reason)" }
}
