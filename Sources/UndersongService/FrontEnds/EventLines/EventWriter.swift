import AudioSession
import CommandOptions
import Dispatch
import Glibc
import Synchronization

/// Where events go once they are the program's to show. Called on any thread, for one event at a
/// time; it must not block.
protocol EventSink: Sendable {
    /// What to write for `event`, empty for nothing. `missed` events were left out before it.
    func text(for event: SessionEvent, missed: Int) -> [UInt8]

    /// Whether problems are reported on the standard error too.
    var complains: Bool { get }
}

/// Events as lines of JSON.
struct EventLines: EventSink {
    private let encoder = EventLineEncoder()
    let complains: Bool

    func text(for event: SessionEvent, missed: Int) -> [UInt8] {
        (try? encoder.line(for: event, missed: missed)) ?? []
    }
}

/// Takes events from the player's threads without making them wait. A time event is written where
/// it happened, as long as the reader keeps up: that costs no change of thread. Whatever would have
/// to wait is written on a queue. A reader that is too slow loses time events, and is told how many;
/// nothing else is lost.
final class EventWriter: Sendable {
    private struct Backlog {
        /// What the queue has yet to write, or is writing.
        var count = 0
        var missed = 0
    }

    /// Events that wait at most: 40 s of them at the usual interval.
    static let capacity = 4096

    private let sink: any EventSink
    private let descriptor: Int32
    private let output: NonblockingOutput
    private let backlog = Mutex(Backlog())
    private let queue = DispatchQueue(label: "undersong.events")
    /// Counts the room that is left, when nothing may be left out.
    private let room: DispatchSemaphore?
    private let ownsDescriptor: Bool
    /// Whether nothing is written any more.
    private let isClosed = Atomic<Bool>(false)
    private let readerGone: @Sendable () -> Void

    /// With `isLossless`, which is for output without real time, `take` waits for the reader instead
    /// of leaving events out. `readerGone` is called, once, when nobody can read any more. With
    /// `ownsDescriptor` the descriptor is closed at the end.
    init(
        _ sink: any EventSink, isLossless: Bool, to descriptor: Int32 = STDOUT_FILENO,
        ownsDescriptor: Bool = false, readerGone: @escaping @Sendable () -> Void
    ) {
        self.sink = sink
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        output = NonblockingOutput(descriptor)
        room = isLossless ? DispatchSemaphore(value: Self.capacity) : nil
        self.readerGone = readerGone
    }

    deinit { if ownsDescriptor { Glibc.close(descriptor) } }

    /// Takes an event in; one at a time. Blocks only when lossless.
    func take(_ event: SessionEvent) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        if case .time = event.kind, writesAtOnce(event) { return }
        room?.wait()
        backlog.withLock { backlog in
            if room == nil, backlog.count >= Self.capacity, case .time(isExact: false) = event.kind
            {
                backlog.missed += 1
                return
            }
            let missed = backlog.missed
            backlog.missed = 0
            enqueue(&backlog) { writer in
                writer.write(event, missed: missed)
                writer.room?.signal()
            }
        }
    }

    /// Calls `then` on the writer's queue when everything that was taken in is written.
    func whenWritten(_ then: @escaping @Sendable () -> Void) { queue.async(execute: then) }

    /// Writes nothing that is taken in from now on.
    func close() { isClosed.store(true, ordering: .relaxed) }

    /// Waits until everything is written, at most `milliseconds` (nil: as long as the reader takes).
    func finish(within milliseconds: Int? = nil) {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        let deadline = milliseconds.map { DispatchTime.now() + .milliseconds($0) }
        _ = isWritten.wait(timeout: deadline ?? .distantFuture)
    }

    /// Writes `event` on this thread, as far as the reader takes it; false when others wait already.
    private func writesAtOnce(_ event: SessionEvent) -> Bool {
        backlog.withLock { backlog in
            guard backlog.count == 0 else { return false }
            let text = sink.text(for: event, missed: backlog.missed)
            guard !text.isEmpty else { return true }
            switch output.write(text) {
            case .written(let count): writeLater(text[count...], &backlog)
            case .failed(EPIPE): loseReader()
            case .failed: break
            }
            backlog.missed = 0
            return true
        }
    }

    /// Leaves what the reader has not taken to the queue: a line, or on a terminal a part of one.
    private func writeLater(_ rest: ArraySlice<UInt8>, _ backlog: inout Backlog) {
        guard !rest.isEmpty else { return }
        let rest = Array(rest)
        enqueue(&backlog) { $0.writeOut(rest) }
    }

    /// Has the queue do `job` after everything that waits already.
    private func enqueue(
        _ backlog: inout Backlog, _ job: @escaping @Sendable (EventWriter) -> Void
    ) {
        backlog.count += 1
        queue.async { [self] in
            job(self)
            self.backlog.withLock { $0.count -= 1 }
        }
    }

    private func write(_ event: SessionEvent, missed: Int) {
        writeOut(sink.text(for: event, missed: missed))
        if sink.complains, case .error(let failure) = event.kind { complain(failure.description) }
    }

    private func writeOut(_ text: [UInt8]) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        if writeAll(text, to: descriptor) == EPIPE { loseReader() }
    }

    private func loseReader() {
        let (isFirst, _) = isClosed.compareExchange(
            expected: false, desired: true, ordering: .relaxed)
        if isFirst { readerGone() }
    }
}

/// Reports a problem on the standard error.
func complain(_ text: String) {
    _ = writeAll(Array((complaint(text) + "\n").utf8), to: STDERR_FILENO)
}

/// Writes all of `bytes`, as long as that takes; returns 0 or the `errno` that stopped it.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return 0 }
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(descriptor, start + written, bytes.count - written)
            if count < 0 && errno == EAGAIN {
                waitForRoom(in: descriptor)
            } else if count < 0 && errno != EINTR {
                return errno
            }
            written += max(count, 0)
        }
        return 0
    }
}

/// Waits for the reader of a descriptor that somebody has made non-blocking.
private func waitForRoom(in descriptor: Int32) {
    var awaited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&awaited, 1, -1)
}
