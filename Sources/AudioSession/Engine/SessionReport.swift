public import AudioIO
public import Background
import Dispatch
public import Playback
import Synchronization

/// Times of every item that are told of in events.
public enum TimeEvents: Hashable, Sendable {
    /// Every multiple of a positive interval.
    case every(CMTime)
    /// These times.
    case at([CMTime])

    /// The watch for these times, which `number` sets apart from others of its kind.
    fileprivate func watch(_ number: Int) -> TimeWatch {
        switch self {
        case .every(let interval): TimeWatch(id: .addedInterval(number), times: .every(interval))
        case .at(let times): TimeWatch(id: .addedBoundaries(number), times: .at(times.sorted()))
        }
    }
}

/// What a player does at one moment, and everything that has a say in it.
public struct SessionReport: Sendable {
    /// What the player is doing and why.
    public var status: TimeControlStatus
    /// Whether the user wants sound.
    public var wantsPlayback: Bool
    /// How many items the queue has.
    public var count: Int
    /// The current one, where there is one.
    public var current: QueueItem?
    /// Its place, from 0.
    public var place: Int
    /// Where it is heard.
    public var position: CMTime
    /// Whether another time of what is played can be gone to: it is no stream.
    public var isSeekable: Bool
    /// What is known of the items that were opened.
    public var descriptions: [ItemID: MediaDescription]
    /// How it plays.
    public var settings: PlayerSettings
    /// Whether the sound server's device is muted or at volume 0.
    public var isDeviceSilent: Bool
    /// The host's state.
    public var applicationState: ApplicationState
    /// Where that was seen.
    public var applicationStateSource: String
    /// Nanoseconds of CLOCK_MONOTONIC since which it is so.
    public var applicationStateSince: Int64
    /// The policy's last decision.
    public var decision: PolicyDecision
    /// Nanoseconds of CLOCK_MONOTONIC since which each of its reasons forbids sound.
    public var suppressedSince: [SuppressionReason: Int64]
    /// The session's category.
    public var category: SessionCategory
    /// How many runs have begun: each is over when its queue is, when it is stopped or replaced.
    public var run: Int
    /// Whether the last of them is not over.
    public var isRunning: Bool
    /// Whether what is heard falls silent by `fadeOut(over:)`, to pause then.
    public var isFadingOut: Bool
    /// Where the sound goes.
    public var output: OutputDestination
    /// Nanoseconds of CLOCK_MONOTONIC now.
    public var hostTime: Int64
}

/// Some of a queue's items, one behind the other.
public struct QueuePage: Sendable {
    /// The items in play order.
    public var items: [QueueItem]
    /// The place of the first of them, from 0.
    public var offset: Int
    /// How many items the queue has.
    public var count: Int
    /// The current item; nil behind the end.
    public var current: ItemID?
    /// The current item's place; `count` behind the end.
    public var place: Int
}

/// What a service asks of its player.
extension PlayerEngine {
    var sessionReport: SessionReport {
        catchUp()
        let now = moment
        return SessionReport(
            status: status, wantsPlayback: wantsPlayback, count: player.queue.count,
            current: player.queue.current, place: player.queue.place,
            position: player.reportedTime(at: now), isSeekable: player.isSeekable,
            descriptions: player.descriptions, settings: settings,
            isDeviceSilent: serverPolicy.isDeviceSilent,
            applicationState: permission.applicationState,
            applicationStateSource: permission.applicationStateSource,
            applicationStateSince: permission.applicationStateSince,
            decision: policyDecision, suppressedSince: permission.suppressedSince,
            category: permission.policy.category, run: player.runCount,
            isRunning: player.isRunning, isFadingOut: player.isFadingOut, output: output,
            hostTime: now.hostTime)
    }

    private var policyDecision: PolicyDecision {
        permission.decision
            ?? PolicyDecision(reasons: [], hasAudioCapability: false, capabilitySource: "none")
    }

    /// Calls `handler` with events that tell how things are, and then `then`, with nothing between
    /// them and the events that follow.
    func greet(
        interval: CMTime?, _ handler: @escaping @Sendable (SessionEvent) -> Void,
        then: () -> Void
    ) {
        catchUp()
        var description = configuration.description
        description.interval = interval
        description.capabilities = permission.capabilities
        description.capabilitySource = policyDecision.capabilitySource
        description.output = output.name
        var greeting: [SessionEvent.Kind] = [
            .session(description),
            .application([], source: permission.applicationStateSource), .policy(policyDecision),
        ]
        if settings != PlayerSettings() { greeting.append(.settings(settings)) }
        if player.queue.currentID != nil { greeting.append(queueEvent) }
        if let heard = player.heard, let item = player.queue.item(heard) {
            greeting.append(.itemBegan(item, player.descriptions[heard]))
            greeting.append(.state)
        }
        hub.greet(with: greeting, at: hostTime, handler, then: then)
    }

    func addTimeEvents(_ times: TimeEvents) -> WatchID {
        var number = 1
        while timeEvents[times.watch(number).id] != nil { number += 1 }
        let watch = times.watch(number)
        timeEvents[watch.id] = watch
        pipeline?.clock.add(watch)
        return watch.id
    }

    func removeTimeEvents(_ watch: WatchID) {
        guard timeEvents.removeValue(forKey: watch) != nil else { return }
        pipeline?.clock.remove(watch: watch)
    }

    /// Those of `ids` that are in the queue, with their places, in play order.
    func places(of ids: [ItemID]) -> [(place: Int, item: QueueItem)] {
        catchUp()
        let (wanted, queue) = (Set(ids), player.queue)
        let places = queue.ids.indices.filter { wanted.contains(queue.ids[$0]) }
        return places.compactMap { place in
            queue.content(of: queue.ids[place]).map { (place, $0) }
        }
    }

    /// A part of the queue, in play order.
    func page(offset: Int, limit: Int) -> QueuePage {
        catchUp()
        let queue = player.queue
        let places = max(0, offset)..<max(0, offset, queue.count)
        let items = queue.items(at: places, limit: limit)
        return QueuePage(
            items: items, offset: max(0, offset), count: queue.count, current: queue.currentID,
            place: queue.place)
    }

    /// A run that had nothing to play is told as one that is over, unless another is on.
    func publishEmptyRun(_ end: SessionEnd) {
        catchUp()
        if player.queue.currentID == nil { publish(.runEnded(end)) }
    }

    /// Returns when nothing sounds, at the latest after as long as a stop may take.
    func silence() async {
        await wait(upTo: Player.stopDeadline) { whenSilent($0) }
    }

    /// Returns when it is known what is played, at the latest after as long as a disk may take that
    /// has to start.
    func settle() async {
        await wait(upTo: Self.openDeadline) { whenSettled($0) }
    }

    /// Waits until the handler that `register` gets is called, no longer than so many seconds.
    private func wait(
        upTo seconds: Double, _ register: (@escaping @Sendable () -> Void) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(continuation)
            let end = { @Sendable in waiting.withLock { $0.take() }?.resume() }
            register { end() }
            guard waiting.withLock({ $0 != nil }) else { return }
            // A task that sleeps would sleep on Swift's shared threads, whose watch wakes every second.
            executor.queue.asyncAfter(deadline: .now() + seconds) { end() }
        }
    }
}

extension OutputDestination {
    /// As events name it.
    var name: String {
        switch self {
        case .pulse: "pulse"
        case .pulseSimple: "pulseSimple"
        case .null: "null"
        case .wav: "wav"
        }
    }
}
