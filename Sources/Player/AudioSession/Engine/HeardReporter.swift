import Synchronization
import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Turns the clock thread's reports of what is heard into events at once, without involving the
/// engine, so that no event overtakes another and a tick needs no thread switch.
final class HeardReporter: Sendable {
    private struct Items {
        var queue = PlaybackQueue()
        /// The item that is heard and those opened after it, in order.
        var opened: [(item: QueueItem, description: MediaDescription)] = []
        /// The item that is heard; it may have left the queue already.
        var current: QueueItem?
        /// An item that a jump has left, until its destination is known.
        var leaving: (item: QueueItem, time: CMTime)?
        /// The status once the output is silent.
        var statusWhenHeld = TimeControlStatus.paused(.userPaused)
        /// Whether it was asked to be silent, and not to play since.
        var isHolding = true
        /// Whether the sound server's loss was reported.
        var isServerLost = false
        /// Why bytes do not arrive, as reported; nil if they do.
        var networkTrouble: String?
        /// Titles of live streams that are not heard yet, by the numbers of their watches.
        var titles: [Int: String] = [:]
        var lastTitle = 0
        /// The title that the station gives to what is heard of the current item.
        var streamTitle: String?
    }

    private let hub: EventHub
    private let observers: TimeObservers
    private let clock: any HostClock
    private let items = Mutex(Items())

    init(hub: EventHub, observers: TimeObservers, clock: any HostClock) {
        self.hub = hub
        self.observers = observers
        self.clock = clock
    }

    /// The queue changed.
    func update(_ queue: PlaybackQueue) {
        items.withLock { $0.queue = queue }
    }

    func opened(_ item: QueueItem, _ description: MediaDescription) {
        var item = item
        item.facts = ItemFacts(description)
        items.withLock { [item] items in
            items.opened.removeAll { $0.item.id == item.id }
            items.opened.append((item, description))
        }
    }

    /// A title begins at `time` of an item. Returns what is to be watched to report it when it is
    /// heard.
    func titled(_ text: String, at time: CMTime) -> TimeWatch {
        let number = items.withLock { items in
            items.lastTitle += 1
            items.titles[items.lastTitle] = text
            return items.lastTitle
        }
        return TimeWatch(id: .title(number), times: .at([time]))
    }

    /// The title that the station gives to what is heard of an item; nil if it gives none, or another
    /// item is heard.
    func streamTitle(of item: ItemID?) -> String? {
        items.withLock { $0.current?.id == item ? $0.streamTitle : nil }
    }

    /// An item's exact length became known. Publishes that if the item is the one being heard.
    func measured(_ item: ItemID, length: CMTime) {
        let measured = items.withLock { items -> (QueueItem, MediaDescription)? in
            guard let index = items.opened.firstIndex(where: { $0.item.id == item }) else {
                return nil
            }
            var description = items.opened[index].description
            guard description.duration != length || !description.isDurationExact else {
                return nil
            }
            description.duration = length
            description.isDurationExact = true
            items.opened[index].description = description
            items.opened[index].item.facts = ItemFacts(description)
            guard items.current?.id == item else { return nil }
            let current = items.opened[index].item
            items.current = current
            return (current, description)
        }
        if let measured { hub.publish(.item(.measured(measured.0, measured.1)), at: clock.now) }
    }

    func willHold(with status: TimeControlStatus) {
        items.withLock { items in
            items.statusWhenHeld = status
            items.isHolding = true
        }
    }

    /// The output is about to run.
    func willRun() { items.withLock { $0.isHolding = false } }

    /// Handles a report of the output, on its thread, and returns what the engine needs of it. The
    /// loss of the server is published before everything that follows from it.
    func take(_ report: OutputReport) -> PlayerEngine.Report? {
        switch report {
        case .lost(let error, _, _):
            if error.isOfServer { lostServer(error.reason) }
            items.withLock { items in
                if !items.isHolding { items.statusWhenHeld = .waiting(.noOutput) }
            }
            return .outputLost(error)
        case .stillLost(let error):
            return .outputLost(error)
        case .works:
            resetServer()
            return .output(.works)
        case .failed(let error):
            willHold(with: .waiting(.noOutput))
            return .output(.failed(error))
        case .settingVolume(let change):
            return .settingVolume(change)
        case .held, .starved, .finished, .stopped:
            return nil
        }
    }

    /// Publishes once that the sound server is lost. Any thread.
    func lostServer(_ reason: String) {
        let isNew = items.withLock { items in
            defer { items.isServerLost = true }
            return !items.isServerLost
        }
        if isNew { hub.publish(.mediaServicesWereLost(reason: reason), at: clock.now) }
    }

    /// Publishes that the sound server is back, if it was lost. Any thread.
    func resetServer() {
        let isNew = items.withLock { items in
            defer { items.isServerLost = false }
            return items.isServerLost
        }
        if isNew { hub.publish(.mediaServicesWereReset, at: clock.now) }
    }

    /// Publishes when the bytes of the current item cease to arrive, and when they arrive again. Any
    /// thread.
    func network(_ stream: any NetworkStream) {
        let report = NetworkItemState(stream, at: clock.now)
        let trouble = report.state == .waiting ? report.reason : nil
        let isNew = items.withLock { items in
            guard items.queue.current?.source == .network(url: FilePath(stream.url)) else {
                return false
            }
            // An attempt that is under way has not succeeded.
            if report.state == .connecting { return false }
            defer { items.networkTrouble = trouble }
            return trouble != items.networkTrouble
        }
        guard isNew else { return }
        let event = NetworkEvent(
            host: report.host, network: report.state, trouble: report.reason, retry: report.retry)
        hub.publish(.network(event), at: clock.now)
    }

    /// Publishes what was heard. Called on the clock thread.
    func heard(_ event: ClockEvent, at hostTime: Int64) {
        switch event {
        case .running:
            items.withLock { $0.isHolding = false }
            hub.publish(.state, at: hostTime) { $0.enter(.playing) }
            observers.jumped()
        case .observed(.crossed(let watch, _, let time)):
            crossed(watch, time, at: hostTime)
        case .observed(.began(let segment)):
            began(segment, at: hostTime)
        case .observed(.left(let id, let time)):
            left(id, time, at: hostTime)
        case .observed(.ended(let id, let time)):
            ended(id, time, at: hostTime)
        case .held(let item, let time, let isReported):
            held(item, time, isReported: isReported, at: hostTime)
        case .starved(let item, let time, let isReported):
            held(
                item, time, isReported: isReported, otherwise: .waiting(.toMinimizeStalls),
                at: hostTime)
        case .finished:
            publishLeaving(at: hostTime)
        case .uncertain(let seconds):
            hub.publish(.clock(uncertainty: seconds), at: hostTime)
        case .replenished, .secondPassed, .stopped:
            break
        }
    }

    private func crossed(_ watch: WatchID, _ time: CMTime, at hostTime: Int64) {
        let (kind, added): (PlayerEvent.Kind, WatchID?)
        switch watch {
        case .interval: (kind, added) = (.time(isExact: false), nil)
        case .boundaries: (kind, added) = (.boundary, nil)
        case .addedInterval: (kind, added) = (.time(isExact: false), watch)
        case .addedBoundaries: (kind, added) = (.boundary, watch)
        case .observer(let number): return observers.crossed(number, time)
        case .title(let number):
            let title = items.withLock { items in
                let title = items.titles.removeValue(forKey: number)
                // Between two songs, stations send an empty one.
                if let title { items.streamTitle = title.isEmpty ? nil : title }
                return title
            }
            guard let title else { return }
            return hub.publish(.metadata(title: title), at: hostTime) { $0.position = time }
        }
        hub.publish(kind, at: hostTime, watch: added) { $0.position = time }
    }

    private func began(_ segment: Timeline.Segment, at hostTime: Int64) {
        let (entry, place, description, leaving) = items.withLock { items in
            if let index = items.opened.firstIndex(where: { $0.item.id == segment.item }) {
                items.opened.removeFirst(index)
            }
            let opened = items.opened.first { $0.item.id == segment.item }
            let entry = opened?.item ?? items.current
            let isSame = items.leaving?.item.id == segment.item
            if items.current?.id != segment.item { items.streamTitle = nil }
            items.current = entry
            defer { if isSame { items.leaving = nil } }
            return (
                entry, items.queue.place(of: segment.item),
                opened?.description,
                isSame ? items.leaving : nil
            )
        }
        guard let entry else { return }
        if leaving != nil {
            hub.publish(.jump, at: hostTime) { head in
                head.generation += 1
                head.position = segment.origin
                head.nominalRate = segment.rate
            }
        } else {
            publishLeaving(at: hostTime)
            hub.publish(.item(.began(entry, description)), at: hostTime) { head in
                if segment.isJump { head.generation += 1 }
                head.item = segment.item
                if let place { head.place = place }
                head.position = segment.origin
                head.nominalRate = segment.rate
            }
        }
        if segment.isJump {
            hub.publish(.time(isExact: true), at: hostTime)
            observers.jumped(to: segment.origin)
        }
    }

    private func left(_ id: ItemID, _ time: CMTime, at hostTime: Int64) {
        hub.publish(.time(isExact: true), at: hostTime) { $0.position = time }
        items.withLock { items in
            if let current = items.current, current.id == id { items.leaving = (current, time) }
        }
    }

    /// Publishes that an item was left for another, or for nothing.
    private func publishLeaving(at hostTime: Int64) {
        guard let leaving = items.withLock({ $0.leaving.take() }) else { return }
        hub.publish(.item(.left(leaving.item, at: leaving.time)), at: hostTime)
    }

    private func ended(_ id: ItemID, _ time: CMTime, at hostTime: Int64) {
        hub.publish(.time(isExact: true), at: hostTime) { $0.position = time }
        observers.jumped(to: time)
        let entry = items.withLock(\.current)
        guard let entry, entry.id == id else { return }
        hub.publish(.item(.ended(entry, at: time)), at: hostTime)
    }

    /// Publishes that sound has stopped: as requested, or unless that was requested, `otherwise`.
    private func held(
        _ item: ItemID?, _ time: CMTime, isReported: Bool, otherwise: TimeControlStatus? = nil,
        at hostTime: Int64
    ) {
        let status = items.withLock { items in
            items.isHolding ? items.statusWhenHeld : otherwise ?? items.statusWhenHeld
        }
        if item != nil && !isReported {
            hub.publish(.time(isExact: true), at: hostTime) { head in
                head.position = time
                head.enter(status)
            }
            observers.jumped(to: time)
        }
        hub.publish(.state, at: hostTime) { $0.enter(status) }
    }
}
