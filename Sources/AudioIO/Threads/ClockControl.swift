import Glibc
package import Playback
import Synchronization

/// What is heard, at the moment it is heard; the handler runs on the clock thread.
package enum ClockEvent: Equatable, Sendable {
    /// Sound has begun to come out, at first or after a hold.
    case running
    /// A passage begins, an item's time crosses one that is watched, or a passage ends.
    case observed(TimelineObserver.Observation)
    /// Sound has ceased. `item` and `time` are where, exactly; nil when nothing was heard yet.
    /// `isReported`: an observation has told that very time already.
    case held(item: ItemID?, time: CMTime, isReported: Bool)
    /// The last frame of the stream has been heard; more may follow.
    case finished
    /// From now on positions may be off by so many seconds, as far as the device's reports tell.
    case uncertain(Double)
    /// About a second has passed since the last one of these, or since they were asked for.
    case secondPassed
    /// Nothing more will be told.
    case stopped
}

/// What the clock thread is told and what it tells. Any thread may call it; nothing here waits.
package final class ClockControl: Sendable {
    enum Message: Sendable {
        case watch(TimeWatch)
        case unwatch(id: WatchID)
    }

    private let reports = OutputReports()
    private let messages = Mutex<[Message]>([])
    /// Whether there are any: looked at for every tick.
    private let hasMessages = Atomic<Bool>(false)
    private let countsSeconds = Atomic<Bool>(false)
    private let heard = Mutex<HeardPosition?>(nil)
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    /// Tells from now on when `watch` is due.
    package func add(_ watch: TimeWatch) { send(.watch(watch)) }

    package func remove(watch id: WatchID) { send(.unwatch(id: id)) }

    /// Where the player is; nil before anything was heard.
    package var position: HeardPosition? {
        get { heard.withLock { $0 } }
        set { heard.withLock { $0 = newValue } }
    }

    /// Whether each second is told. The clock thread is mostly awake then anyhow, and a timer of its
    /// own would wake two more threads.
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

    /// Takes in what the output reports. The output thread only; it never waits for a lock.
    func report(_ report: OutputReport) {
        // There is always room, unless the clock thread is kept from running for minutes.
        while !reports.put(report) { sched_yield() }
        signals.clock.wake()
    }

    var isEmpty: Bool { reports.isEmpty && !hasMessages.load(ordering: .sequentiallyConsistent) }

    /// Takes the oldest report of the output that is left; nil: there is none.
    func takeReport() -> OutputReport? { reports.take() }

    /// Takes what was sent.
    func take() -> [Message] {
        guard hasMessages.exchange(false, ordering: .sequentiallyConsistent) else { return [] }
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
