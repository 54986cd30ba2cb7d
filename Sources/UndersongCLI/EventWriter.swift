import AudioSession
import Dispatch
import Glibc
import Synchronization

/// Where events go once they are the program's to show. Called by the writer's thread only.
protocol EventSink: Sendable {
    /// What to write for `event`, empty for nothing. `missed` events were left out before it.
    func text(for event: SessionEvent, missed: Int) -> [UInt8]

    /// What to write to the standard error for a problem.
    func complaint(_ text: String) -> [UInt8]
}

/// Events as lines of JSON.
struct EventLines: EventSink {
    private let encoder = EventLineEncoder()

    func text(for event: SessionEvent, missed: Int) -> [UInt8] {
        (try? encoder.line(for: event, missed: missed)) ?? []
    }

    func complaint(_ text: String) -> [UInt8] { Array("undersong: \(text)\n".utf8) }
}

/// Takes events from the player's threads without making them wait, and writes them on a queue of
/// its own. A reader that is too slow loses time events, and is told how many; nothing else is lost.
final class EventWriter: Sendable {
    private struct Backlog {
        var count = 0
        var missed = 0
    }

    /// Events that wait at most: 40 s of them at the usual interval.
    private static let capacity = 4096

    private let sink: any EventSink
    private let backlog = Mutex(Backlog())
    private let queue = DispatchQueue(label: "undersong.events")
    /// Counts the room that is left, when nothing may be left out.
    private let room: DispatchSemaphore?

    /// With `isLossless`, which is for output without real time, `take` waits for the reader instead
    /// of leaving events out.
    init(_ sink: any EventSink, isLossless: Bool) {
        self.sink = sink
        room = isLossless ? DispatchSemaphore(value: Self.capacity) : nil
    }

    /// Takes an event in. Blocks only when lossless.
    func take(_ event: SessionEvent) {
        room?.wait()
        let missed: Int? = backlog.withLock { backlog in
            if room == nil, backlog.count >= Self.capacity, case .time(isExact: false) = event.kind
            {
                backlog.missed += 1
                return nil
            }
            backlog.count += 1
            defer { backlog.missed = 0 }
            return backlog.missed
        }
        guard let missed else { return }
        queue.async { [self] in
            write(event, missed: missed)
            backlog.withLock { $0.count -= 1 }
            room?.signal()
        }
    }

    /// Writes a problem to the standard error, in order with the events.
    func complain(_ text: String) {
        queue.async { [self] in _ = writeAll(sink.complaint(text), to: STDERR_FILENO) }
    }

    /// Waits until everything is written, at most `milliseconds` (nil: as long as the reader takes).
    func finish(within milliseconds: Int? = nil) {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        let deadline = milliseconds.map { DispatchTime.now() + .milliseconds($0) }
        _ = isWritten.wait(timeout: deadline ?? .distantFuture)
    }

    private func write(_ event: SessionEvent, missed: Int) {
        if writeAll(sink.text(for: event, missed: missed), to: STDOUT_FILENO) == EPIPE {
            endByBrokenPipe()
        }
        if case .error(let failure) = event.kind {
            _ = writeAll(sink.complaint(failure.description), to: STDERR_FILENO)
        }
    }

    /// Ends as every program does whose reader has gone, so that the shell sees why.
    private func endByBrokenPipe() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGPIPE)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }
}

/// Writes all of `bytes`; returns 0 or the `errno` that stopped it.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return 0 }
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(descriptor, start + written, bytes.count - written)
            if count < 0 && errno != EINTR { return errno }
            written += max(count, 0)
        }
        return 0
    }
}
