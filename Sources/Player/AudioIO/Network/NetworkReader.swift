import Glibc
package import UndersongBase
package import UndersongPlayback

/// Reads a stream for a codec, and waits for bytes that have not arrived. Used on one thread.
final class NetworkReader {
    /// The distance that a reader moves before it reports that.
    private static let stride: Int64 = 256 * 1024
    /// The number of bytes of a live stream to keep before the place that is read.
    private static let kept: Int64 = 1 << 20

    let stream: any NetworkStream
    /// The first byte that it reads. Of a live stream, that is the newest when the reader was made,
    /// so that what a server sends at once for a quick start is not skipped.
    let start: Int64
    /// The reason why reading has failed.
    private(set) var failure: MediaError?
    /// True if that was because the bytes were not wanted any more.
    private(set) var isInterrupted = false
    private let access: NetworkAccess
    private let watcher: Int
    /// The place that was requested last; nil for none.
    private var wanted: Int64?
    private var discarded: Int64 = 0

    /// Opens `url`, and waits until the server has answered.
    /// - Throws: An error if it does not send sound, or the wait was interrupted.
    init(_ url: FilePath, _ access: NetworkAccess) throws(MediaError) {
        stream = try access.streams.stream(at: url.description, isForText: access.isForText)
        self.access = access
        let waiter = access.waiter
        watcher = stream.watch { waiter.notify() }
        let status = stream.status
        start = status.isLive ? status.available.ranges.last?.upperBound ?? 0 : 0
        if !status.hasAnswered {
            stream.want(start)
            wanted = start
        }
        guard wait(until: { $0.hasAnswered }) else {
            throw failure
                ?? MediaError(playing: url.description, StreamFailure(.storage, "It was cancelled"))
        }
    }

    deinit { stream.unwatch(watcher) }

    /// The number of bytes; nil for a stream without a known end.
    var size: Int? { stream.status.total.map { Int($0) } }

    /// Copies at most `count` bytes from `offset` on, and returns how many: 0 at the end, -1 if that
    /// fails. Waits for the first of them.
    func read(into target: UnsafeMutableRawPointer, count: Int, at offset: Int) -> Int {
        let place = Int64(offset)
        follow(place)
        guard wait(for: 1, from: place) else { return -1 }
        let count = min(Int64(count), stream.readable(from: place))
        guard count > 0 else { return 0 }
        while true {
            let done = unsafe pread(stream.descriptor, target, Int(count), off_t(offset))
            if done < 0 && errno == EINTR { continue }
            if done <= 0 {
                failure = MediaError(
                    .readFailed, operation: "read \(stream.url)",
                    reason: unsafe String(cString: strerror(done < 0 ? errno : EIO)))
            }
            return done > 0 ? done : -1
        }
    }

    /// Waits until `count` bytes are there from `offset` on, or all up to the end. Returns false if
    /// that fails.
    func wait(for count: Int64, from offset: Int64) -> Bool {
        if isReadable(count, from: offset) { return true }
        if wanted != offset {
            stream.want(offset)
            wanted = offset
        }
        return wait { Self.isReadable(count, from: offset, $0) }
    }

    /// True if `count` bytes are there from `offset` on, or all up to the end.
    func isReadable(_ count: Int64, from offset: Int64) -> Bool {
        Self.isReadable(count, from: offset, stream.status)
    }

    /// Asks for bytes from `offset` on, without waiting for them.
    func follow(_ offset: Int64) {
        if let wanted, offset >= wanted, offset - wanted < Self.stride { return }
        wanted = offset
        // What is there to the end needs no request, which would cost the memory of its encoding.
        if !isReadable(.max, from: offset) { stream.want(offset) }
        guard offset - discarded > Self.kept * 2, stream.status.isLive else { return }
        discarded = offset - Self.kept
        stream.discard(before: discarded)
    }

    private static func isReadable(
        _ count: Int64, from offset: Int64, _ status: StreamStatus
    ) -> Bool {
        let end = status.available.end(from: offset)
        return end - offset >= count || end >= status.total ?? .max
            || offset >= status.total ?? .max
    }

    private func wait(until isReady: (StreamStatus) -> Bool) -> Bool {
        var isWaiting = false
        defer { if isWaiting { access.setWaiting(false) } }
        while true {
            let status = stream.status
            if isReady(status) { return true }
            if let reason = status.failure {
                failure = MediaError(playing: stream.url, reason)
                return false
            }
            guard !access.isInterrupted() else {
                isInterrupted = true
                failure = MediaError(
                    .readFailed, operation: "read \(stream.url)", reason: "It was interrupted")
                return false
            }
            if !isWaiting { access.setWaiting(true) }
            isWaiting = true
            access.waiter.wait {
                let status = stream.status
                return isReady(status) || status.failure != nil || access.isInterrupted()
            }
        }
    }
}

extension MediaError {
    /// The error for a stream that cannot be fetched.
    package init(playing url: String, _ failure: StreamFailure) {
        let code: MediaErrorCode =
            switch failure.code {
            case .httpStatus, .unsupportedURL, .tooManyRedirects, .certificate: .refusedByServer
            case .unknownHost: .unknownHost
            case .cannotConnect: .cannotConnect
            case .encoded, .notSound: .notSound
            case .unsupportedFormat: .unsupportedFormat
            case .playlist: .badPlaylist
            case .changed: .changedOnServer
            case .storage: .readFailed
            case .noNetwork: .noNetwork
            }
        let reason =
            failure.code == .playlist
            ? "It is a playlist (\(failure.text)), whose URL has to end with .\(failure.text)"
            : failure.text
        self.init(code, operation: "play \(url)", reason: reason)
    }
}
