import Glibc
import Synchronization
package import UndersongPlayback

/// A report of what is heard, at the moment it is heard; the handler runs on the clock thread.
package enum ClockEvent: Equatable, Sendable {
    /// Sound has started to come out, initially or after a hold.
    case running
    /// A passage begins, an item's time crosses a watched one, or a passage ends.
    case observed(TimelineObserver.Observation)
    /// Sound has stopped, exactly at `time` of `item`; nil if nothing has been played yet. `isReported`
    /// if an observation has reported that very time already.
    case held(item: ItemID?, time: CMTime, isReported: Bool)
    /// As `held`: everything that could be decoded was heard, and bytes have not arrived.
    case starved(item: ItemID?, time: CMTime, isReported: Bool)
    /// Sound has started to come out again after `starved`; reported after `running`.
    case replenished
    /// The last frame of the stream has been heard; more may follow.
    case finished
    /// The uncertainty of positions in seconds from now on, as far as the device's reports show.
    case uncertain(Double)
    /// About a second has passed since the last one of these, or since they were requested.
    case secondPassed
    /// Nothing more follows.
    case stopped
}

/// The clock thread's input and output. Any thread may call it; nothing here waits.
package final class ClockControl: Sendable {
    enum Message: Sendable {
        case watch(TimeWatch)
        case unwatch(id: WatchID)
    }

    private let reports = OutputReports()
    private let messages = Mutex<[Message]>([])
    /// True if there are any: checked on every tick.
    private let hasMessages = Atomic<Bool>(false)
    private let countsSeconds = Atomic<Bool>(false)
    private let heard = Mutex<HeardPosition?>(nil)
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    /// Reports `watch` from now on when it is due.
    package func add(_ watch: TimeWatch) { send(.watch(watch)) }

    package func remove(watch id: WatchID) { send(.unwatch(id: id)) }

    /// The current position; nil before anything was heard.
    package var position: HeardPosition? {
        get { heard.withLock { $0 } }
        set { heard.withLock { $0 = newValue } }
    }

    /// True to report each second. The clock thread is usually awake anyway, and a separate
    /// timer would wake two more threads.
    package var isCountingSeconds: Bool {
        get { countsSeconds.load(ordering: .relaxed) }
        set {
            guard countsSeconds.exchange(newValue, ordering: .relaxed) != newValue else { return }
            if newValue { signals.clock.wake() }
        }
    }

    func send(_ message: Message) {
        messages.withLock { $0.append(message) }
        hasMessages.store(true, ordering: .sequentiallyConsistent)
        signals.clock.wake()
    }

    /// Adds a report of the output. The output thread only; it never waits for a lock.
    func report(_ report: OutputReport) {
        // There is always room unless the clock thread is kept from running for minutes.
        while !reports.put(report) { sched_yield() }
        signals.clock.wake()
    }

    var isEmpty: Bool { reports.isEmpty && !hasMessages.load(ordering: .sequentiallyConsistent) }

    /// Removes the output's oldest report; nil if there is none.
    func popReport() -> OutputReport? { reports.pop() }

    /// Removes and returns the messages.
    func popMessages() -> [Message] {
        guard hasMessages.exchange(false, ordering: .sequentiallyConsistent) else { return [] }
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
