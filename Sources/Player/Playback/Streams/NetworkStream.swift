package import UndersongBase

/// A file or a live stream of another machine, which is read while it arrives: another process
/// writes its bytes into a file, and reports which of them are there.
///
/// Any thread may use it. It is closed with its last reader.
package protocol NetworkStream: AnyObject, Sendable {
    var url: String { get }

    /// The file with the bytes, open for reading.
    var descriptor: Int32 { get }

    var status: StreamStatus { get }

    /// The bytes that are there from `offset` on, at most up to the end.
    func readable(from offset: Int64) -> Int64

    /// Calls `watcher` after each change, on the thread that reports it, until `unwatch`.
    func watch(_ watcher: @escaping @Sendable () -> Void) -> Int

    func unwatch(_ watcher: Int)

    /// Asks for the bytes from `offset` on, and for some beyond.
    func want(_ offset: Int64)

    /// Gives up the memory for bytes before `offset`, which nobody reads any more.
    func discard(before offset: Int64)

    /// The reserve, by the rate at which bytes have arrived so far.
    var reserve: PlaybackReserve { get }

    /// Records that sound has stopped for want of bytes.
    func recordStall(at hostTime: Int64)
}

extension NetworkStream {
    /// The host, for display.
    package var host: String { NetworkName.host(url) ?? url }

    /// The seconds of sound that must be there before it begins; see `PlaybackReserve`. With
    /// `afterStall`, sound has stopped for want of bytes, which is not recorded yet.
    package func reserveSeconds(
        playedAt rate: Double, left: Int64?, afterStall: Bool, at hostTime: Int64
    ) -> Double {
        var reserve = reserve
        let now = Double(hostTime) / 1e9
        if afterStall { reserve.recordStall(at: now) }
        return reserve.seconds(playedAt: rate, left: left, at: now)
    }
}

/// The port to what fetches streams.
package protocol NetworkStreams: AnyObject, Sendable {
    /// The stream at `url`: the same for all readers, as long as there are any. With `isForText` it
    /// may be something other than sound, and is a new one.
    /// - Throws: An error if there is no file for its bytes.
    func stream(at url: String, isForText: Bool) throws(MediaError) -> any NetworkStream

    /// The stream at `url`, if it has readers.
    func openStream(at url: String) -> (any NetworkStream)?

    /// Calls `observer` after each change of a stream, on the thread that reports it, until it returns
    /// false.
    func observe(_ observer: @escaping @Sendable (any NetworkStream) -> Bool)
}

/// The state of a stream: what was reported last, and what follows from all reports.
@dynamicMemberLookup
package struct StreamStatus: Equatable, Sendable {
    /// The activity of the other process.
    package enum Activity: Equatable, Sendable {
        case idle
        case connecting
        case receiving
        /// It tries again at this host time, in nanoseconds of CLOCK_MONOTONIC.
        case waiting(reason: String, retryTime: Int64?)
        case failed(StreamFailure)
    }

    package var activity = Activity.idle
    /// The last report.
    package var report = StreamReport()
    /// True if the server has answered.
    package var hasAnswered = false
    /// The titles of what was received last, in order.
    package private(set) var titles: [StreamReport.Title] = []

    package init() {}

    package subscript<Value>(dynamicMember member: WritableKeyPath<StreamReport, Value>) -> Value {
        get { report[keyPath: member] }
        set { report[keyPath: member] = newValue }
    }

    /// Applies what was reported at a host time, in nanoseconds of CLOCK_MONOTONIC.
    package mutating func apply(_ report: StreamReport, at hostTime: Int64) {
        let reason = report.reason ?? ""
        activity =
            switch report.state {
            case .idle: .idle
            case .connecting: .connecting
            case .receiving: .receiving
            case .waiting:
                // A server may ask for any time.
                .waiting(
                    reason: reason,
                    retryTime: report.retry.map { hostTime + Int64(min($0, 1e9) * 1e9) })
            case .failed: .failed(StreamFailure(report.code?.known ?? .httpStatus, reason))
            }
        self.report = report
        if let title = report.title { add(title) }
        // A type may be missing, but something has arrived by then.
        hasAnswered =
            hasAnswered || report.type != nil || report.total != nil || !report.available.isEmpty
    }

    /// Adds a title, unless it is the last one.
    package mutating func add(_ title: StreamReport.Title) {
        guard title != titles.last else { return }
        titles = titles.suffix(15) + [title]
    }

    /// The title of the sound at `offset`; nil if unknown.
    package func title(at offset: Int64) -> StreamReport.Title? {
        titles.last { $0.offset <= offset }
    }

    /// The reason why nothing more comes; nil if something may.
    package var failure: StreamFailure? {
        if case .failed(let failure) = activity { failure } else { nil }
    }

    /// Gives up what waits for another attempt, if the server has never answered.
    package mutating func failUnanswered(_ code: StreamFailure.Code) {
        guard !hasAnswered, case .waiting(let reason, _) = activity else { return }
        activity = .failed(StreamFailure(code, reason))
    }
}
