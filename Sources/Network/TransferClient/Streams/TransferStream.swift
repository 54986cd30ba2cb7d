import CUndersongLinux
import Glibc
import Synchronization
import UndersongBase
package import UndersongPlayback

/// A stream whose bytes `undersong-transferd` writes into a file. Any thread may use it.
package final class TransferStream: NetworkStream {
    private struct State {
        var status = StreamStatus()
        var watchers: [Int: @Sendable () -> Void] = [:]
        var lastWatcher = 0
        /// The number of bytes to read ahead.
        var readAhead: Int64 = 8 << 20
        /// The offset that was asked for last.
        var wanted: Int64?
        var reserve = PlaybackReserve()
    }

    package let url: String
    package let descriptor: Int32
    private let state = Mutex(State())
    private let request: @Sendable (_ from: Int64, _ until: Int64) -> Void
    private let whenClosed: @Sendable () -> Void

    /// Creates a stream. It owns `descriptor`, the file with its bytes, open for reading and
    /// writing. `request` asks for bytes: the offset that is read, and the one up to which to read ahead.
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

    package var status: StreamStatus { state.withLock(\.status) }

    package var reserve: PlaybackReserve { state.withLock(\.reserve) }

    /// Reports a change, and when it was reported, in nanoseconds of CLOCK_MONOTONIC, if bytes may
    /// have arrived.
    package func update(at hostTime: Int64? = nil, _ change: (inout StreamStatus) -> Void) {
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

    package func want(_ offset: Int64) {
        let readAhead = state.withLock { state in
            state.wanted = offset
            return state.readAhead
        }
        request(offset, Self.end(offset, readAhead))
    }

    /// The number of bytes to read ahead: 8 MiB at first. A change asks again for the offset that was
    /// asked for last.
    package var readAhead: Int64 {
        get { state.withLock(\.readAhead) }
        set {
            let wanted = state.withLock { state -> Int64? in
                defer { state.readAhead = newValue }
                return state.readAhead == newValue ? nil : state.wanted
            }
            if let wanted { request(wanted, Self.end(wanted, newValue)) }
        }
    }

    /// The end of what to read ahead from an offset, which may be near that of all numbers.
    private static func end(_ offset: Int64, _ readAhead: Int64) -> Int64 {
        let (end, isTooLarge) = offset.addingReportingOverflow(readAhead)
        return isTooLarge ? .max : end
    }

    package func recordStall(at hostTime: Int64) {
        state.withLock { $0.reserve.recordStall(at: Self.seconds(hostTime)) }
    }

    private static func seconds(_ hostTime: Int64) -> Double { Double(hostTime) / 1e9 }

    package func readable(from offset: Int64) -> Int64 {
        state.withLock { max(0, $0.status.available.end(from: offset) - offset) }
    }

    package func discard(before offset: Int64) { clinux_punch_hole(descriptor, 0, off_t(offset)) }
}
