import CUndersongLinux
import Glibc
import Synchronization
package import UndersongBase
package import UndersongPlayback
import UndersongTransfers

/// A file or a live stream of another machine, which is read while it arrives: another process
/// writes its bytes into a file, and reports which of them are there.
///
/// Any thread may use it. It is closed with its last reader.
package final class NetworkStream: Sendable {
    /// What is known about a stream.
    package struct Status: Equatable, Sendable {
        /// What the other process is doing.
        package enum Activity: Equatable, Sendable {
            case idle
            case connecting
            case receiving
            /// It tries again at this host time, in nanoseconds of CLOCK_MONOTONIC.
            case waiting(reason: String, retryTime: Int64?)
            case failed(StreamFailure)
        }

        /// A text that a station sent within its sound, from this byte on.
        package struct Title: Equatable, Sendable {
            package var offset: Int64
            package var text: String

            package init(offset: Int64, text: String) {
                self.offset = offset
                self.text = text
            }
        }

        package var activity = Activity.idle
        /// The bytes that are there.
        package var available = ByteRanges()
        /// The length of the whole; nil if unknown.
        package var total: Int64?
        /// Whether it has no end, and begins wherever it is connected to.
        package var isLive = false
        /// Whether the server has answered.
        package var hasAnswered = false
        /// The media type, in lower case.
        package var type: String?
        /// The station's name, and its bit rate in bits per second.
        package var name: String?
        package var bitrate: Int?
        /// The titles of what was received last, in order.
        package private(set) var titles: [Title] = []

        package init() {}

        /// Adds a title, unless it is the last one.
        package mutating func add(_ title: Title) {
            guard title != titles.last else { return }
            titles = titles.suffix(15) + [title]
        }

        /// The title of the sound at `offset`; nil if unknown.
        func title(at offset: Int64) -> Title? { titles.last { $0.offset <= offset } }

        /// Why nothing more comes; nil if something may.
        package var failure: StreamFailure? {
            if case .failed(let failure) = activity { failure } else { nil }
        }
    }

    private struct State {
        var status = Status()
        var watchers: [Int: @Sendable () -> Void] = [:]
        var lastWatcher = 0
        /// How many bytes to read ahead.
        var readAhead: Int64 = 8 << 20
        /// The place that was asked for last.
        var wanted: Int64?
        var reserve = PlaybackReserve()
    }

    package let url: String
    /// The file with the bytes.
    let descriptor: Int32
    /// The file with the bytes, for the writer.
    package var fileDescriptor: Int32 { descriptor }
    private let state = Mutex(State())
    private let request: @Sendable (_ from: Int64, _ until: Int64) -> Void
    private let whenClosed: @Sendable () -> Void

    /// Creates a stream. It owns `descriptor`, the file with its bytes, open for reading and
    /// writing. `request` asks for bytes: the place that is read, and how far to read ahead.
    package init(
        url: String, descriptor: Int32, request: @escaping @Sendable (Int64, Int64) -> Void,
        whenClosed: @escaping @Sendable () -> Void
    ) {
        self.url = url
        self.descriptor = descriptor
        self.request = request
        self.whenClosed = whenClosed
    }

    deinit {
        whenClosed()
        close(descriptor)
    }

    package var status: Status { state.withLock(\.status) }

    /// The host, for display.
    package var host: String { NetworkName.host(url) ?? url }

    /// Reports a change, and when it was reported, in nanoseconds of CLOCK_MONOTONIC, if bytes may
    /// have arrived.
    package func update(at hostTime: Int64? = nil, _ change: (inout Status) -> Void) {
        let watchers = state.withLock { state -> [@Sendable () -> Void] in
            let before = state.status
            change(&state.status)
            if let hostTime {
                state.reserve.record(
                    state.status.available.count, isReceiving: state.status.activity == .receiving,
                    at: Self.seconds(hostTime))
            }
            return state.status == before ? [] : Array(state.watchers.values)
        }
        for watcher in watchers { watcher() }
    }

    /// Calls `watcher` after each change, on the thread that reports it, until `unwatch`.
    package func watch(_ watcher: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = watcher
            return state.lastWatcher
        }
    }

    package func unwatch(_ watcher: Int) {
        state.withLock { _ = $0.watchers.removeValue(forKey: watcher) }
    }

    /// Asks for the bytes from `offset` on, and for some beyond.
    package func want(_ offset: Int64) {
        let readAhead = state.withLock { state in
            state.wanted = offset
            return state.readAhead
        }
        request(offset, offset + readAhead)
    }

    /// How many bytes to read ahead: 8 MiB at first. A change asks again for the place that was
    /// asked for last.
    package var readAhead: Int64 {
        get { state.withLock(\.readAhead) }
        set {
            let wanted = state.withLock { state -> Int64? in
                defer { state.readAhead = newValue }
                return state.readAhead == newValue ? nil : state.wanted
            }
            if let wanted { request(wanted, wanted + newValue) }
        }
    }

    /// The seconds of sound that must be there before it begins; see `PlaybackReserve`. With
    /// `afterStall`, sound has stopped for want of bytes, which is not recorded yet.
    func reserveSeconds(
        playedAt rate: Double, left: Int64?, afterStall: Bool, at hostTime: Int64
    ) -> Double {
        var reserve = state.withLock(\.reserve)
        let now = Self.seconds(hostTime)
        if afterStall { reserve.recordStall(at: now) }
        return reserve.seconds(playedAt: rate, left: left, at: now)
    }

    /// Records that sound has stopped for want of bytes.
    func recordStall(at hostTime: Int64) {
        state.withLock { $0.reserve.recordStall(at: Self.seconds(hostTime)) }
    }

    private static func seconds(_ hostTime: Int64) -> Double { Double(hostTime) / 1e9 }

    /// How many bytes are there from `offset` on, at most up to the end.
    func readable(from offset: Int64) -> Int64 {
        state.withLock { max(0, $0.status.available.end(from: offset) - offset) }
    }

    /// Gives up the memory for bytes before `offset`, which nobody reads any more.
    func discard(before offset: Int64) { clinux_punch_hole(descriptor, 0, off_t(offset)) }
}

/// The port to what fetches streams.
package protocol NetworkStreams: AnyObject, Sendable {
    /// The stream at `url`: the same for all readers, as long as there are any. With `isForText` it
    /// may be something other than sound, and is a new one. Errors: there is no file for its bytes.
    func stream(at url: String, isForText: Bool) throws(MediaError) -> NetworkStream

    /// The stream at `url`, if it has readers.
    func openStream(at url: String) -> NetworkStream?

    /// Calls `observer` after each change of a stream, on the thread that reports it, until it returns
    /// false.
    func observe(_ observer: @escaping @Sendable (NetworkStream) -> Bool)
}
