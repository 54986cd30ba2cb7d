import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// The format in which a program shows events. Called on any thread, for one event at a time; must
/// not block.
protocol EventSink: Sendable {
    /// The text to write for `event`, empty for none.
    func text(for event: PlayerEvent) -> [UInt8]

    /// True if problems are also reported on the standard error.
    var complains: Bool { get }
}

/// Formats events as lines of JSON.
struct EventLines: EventSink {
    let complains: Bool

    func text(for event: PlayerEvent) -> [UInt8] { (try? EventLine.line(event)) ?? [] }
}

/// Writes events without blocking the player's threads. A time event is written on the thread where
/// it happened while the reader keeps up, which avoids a thread switch. Whatever would block is
/// written on a queue. A reader that is too slow misses time events, and learns how many; nothing
/// else is dropped.
final class EventWriter: Sendable {
    private struct Backlog {
        /// The number of events queued or being written.
        var count = 0
        var missed = 0
    }

    /// The maximum number of waiting events: 40 s of them at the usual interval.
    static let capacity = 4096

    private let sink: any EventSink
    private let descriptor: Int32
    private let output: NonblockingOutput
    private let backlog = Mutex(Backlog())
    private let queue = DispatchQueue(label: "undersong.events")
    /// Counts the remaining room, if nothing may be dropped.
    private let room: DispatchSemaphore?
    private let ownsDescriptor: Bool
    /// True if nothing is written any more.
    private let isClosed = Atomic<Bool>(false)
    private let outputFailed: @Sendable (Int32) -> Void

    /// With `isLossless`, for output that is not in real time, `take` waits for the reader instead
    /// of dropping events. `outputFailed` is called once, with the value of errno, when nothing can
    /// be written any more: EPIPE if nobody can read it. With `ownsDescriptor` the descriptor is
    /// closed at the end.
    init(
        _ sink: any EventSink, isLossless: Bool, to descriptor: Int32 = STDOUT_FILENO,
        ownsDescriptor: Bool = false, outputFailed: @escaping @Sendable (Int32) -> Void
    ) {
        self.sink = sink
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        output = NonblockingOutput(descriptor)
        room = isLossless ? DispatchSemaphore(value: Self.capacity) : nil
        self.outputFailed = outputFailed
    }

    deinit { if ownsDescriptor { Glibc.close(descriptor) } }

    /// Handles an event; one at a time. Blocks only if lossless.
    func receive(_ event: PlayerEvent) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        if case .time = event.kind, writesAtOnce(event) { return }
        room?.wait()
        backlog.withLock { backlog in
            if room == nil, backlog.count >= Self.capacity, case .time(isExact: false) = event.kind
            {
                backlog.missed += 1
                return
            }
            var event = event
            event.head.missed = backlog.missed
            backlog.missed = 0
            enqueue(&backlog) { [event] writer in
                writer.write(event)
                writer.room?.signal()
            }
        }
    }

    /// Calls `then` on the writer's queue when everything taken so far is written.
    func whenWritten(_ then: @escaping @Sendable () -> Void) { queue.async(execute: then) }

    /// Discards everything from now on.
    func close() { isClosed.store(true, ordering: .relaxed) }

    /// Waits until everything is written, for at most `milliseconds`; nil for as long as the reader
    /// takes.
    func finish(within milliseconds: Int? = nil) {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        let deadline = milliseconds.map { DispatchTime.now() + .milliseconds($0) }
        _ = isWritten.wait(timeout: deadline ?? .distantFuture)
    }

    /// Writes `event` on this thread as far as the reader takes it; false if others are already
    /// waiting.
    private func writesAtOnce(_ event: PlayerEvent) -> Bool {
        backlog.withLock { backlog in
            guard backlog.count == 0 else { return false }
            var event = event
            event.head.missed = backlog.missed
            let text = sink.text(for: event)
            guard !text.isEmpty else { return true }
            switch output.write(text) {
            case .written(let count): writeLater(text[count...], &backlog)
            case .failed(let code): fail(code)
            }
            backlog.missed = 0
            return true
        }
    }

    /// Leaves the rest to the queue: a line, or on a terminal part of one.
    private func writeLater(_ rest: ArraySlice<UInt8>, _ backlog: inout Backlog) {
        guard !rest.isEmpty else { return }
        let rest = Array(rest)
        enqueue(&backlog) { $0.writeOut(rest) }
    }

    /// Runs `job` on the queue after everything already waiting.
    private func enqueue(
        _ backlog: inout Backlog, _ job: @escaping @Sendable (EventWriter) -> Void
    ) {
        backlog.count += 1
        queue.async { [self] in
            job(self)
            self.backlog.withLock { $0.count -= 1 }
        }
    }

    private func write(_ event: PlayerEvent) {
        writeOut(sink.text(for: event))
        if sink.complains, case .error(let failure) = event.kind { complain(failure.description) }
    }

    private func writeOut(_ text: [UInt8]) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        let code = writeAll(text, to: descriptor)
        if code != 0 { fail(code) }
    }

    private func fail(_ code: Int32) {
        let (isFirst, _) = isClosed.compareExchange(
            expected: false, desired: true, ordering: .relaxed)
        if isFirst { outputFailed(code) }
    }
}

/// Reports a problem on the standard error.
func complain(_ text: String) {
    _ = writeAll(Array((complaint(text) + "\n").utf8), to: STDERR_FILENO)
}
