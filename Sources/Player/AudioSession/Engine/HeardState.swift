import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// The player as it is heard: decides which events report the progress of the sound.
struct HeardState {
    /// Something that changes what is heard, or what is known of it.
    enum Input {
        /// The queue has changed.
        case queue(PlaybackQueue)
        /// An item was opened, which will be heard after those opened before it.
        case opened(QueueItem, MediaDescription)
        /// An item's exact length became known.
        case measured(ItemID, length: CMTime)
        /// The output was asked to be silent, and has this status once it is.
        case willHold(TimeControlStatus)
        /// The output is about to run.
        case willRun
        /// A report of the output.
        case output(OutputReport)
        /// The connection to the sound server was lost, for this reason.
        case serverLost(String)
        /// The sound server answers.
        case serverReset
        /// A stream on the network, at this address, has changed its state.
        case network(NetworkItemState, url: FilePath)
        /// A report of a stream's clock.
        case clock(ClockEvent)
    }

    /// Something to do, in order.
    enum Effect: Equatable {
        /// Publish an event after changes of the head.
        indirect case publish(PlayerEvent.Kind, [HeadChange] = [])
        /// Publish an event of a watched time that was crossed. `watch` is nil for the session's own.
        case publishCrossing(PlayerEvent.Kind, CMTime, watch: WatchID? = nil)
        /// Call the observer with this number: its time was crossed.
        case callObserver(Int, CMTime)
        /// Call the periodic observers: the time has jumped, or has started or stopped. Nil is the
        /// time reported last.
        case callPeriodicObservers(CMTime?)
    }

    /// A change that an event makes to the head.
    enum HeadChange: Equatable {
        case position(CMTime)
        case status(TimeControlStatus)
        case rate(Double)
        /// Another item; its place is nil if it has left the queue.
        case item(ItemID, place: Int?)
        /// Positions before the event and after it are unrelated.
        case jump

        func apply(to head: inout PlayerEvent.Head) {
            switch self {
            case .position(let time): head.position = time
            case .status(let status): head.enter(status)
            case .rate(let rate): head.nominalRate = rate
            case .item(let item, let place): (head.item, head.place) = (item, place ?? head.place)
            case .jump: head.generation += 1
            }
        }
    }

    /// The last request to the output, and the status once it is silent.
    private enum Request {
        case hold(TimeControlStatus)
        case run(statusWhenSilent: TimeControlStatus)

        var statusWhenSilent: TimeControlStatus {
            switch self {
            case .hold(let status), .run(let status): status
            }
        }
    }

    /// The item that is heard.
    private struct Heard {
        /// The item; it may have left the queue already.
        var item: QueueItem
        /// The title that the station gives to what is heard; nil if it gives none.
        var title: String?
        /// The time at which a jump has left the item; nil unless the jump's destination is unknown.
        var leftAt: CMTime?
    }

    private var queue = PlaybackQueue()
    /// The item that is heard and those opened after it, in order.
    private var opened: [(item: QueueItem, description: MediaDescription)] = []
    /// Nil before anything was heard.
    private var heard: Heard?
    private var request = Request.hold(.paused(.userPaused))
    /// True if the sound server's loss was reported.
    private var isServerLost = false
    /// The reported reason why bytes do not arrive; nil if they do.
    private var networkTrouble: String?
    /// Titles of live streams that are not heard yet, by the numbers of their watches.
    private var titles: [Int: String] = [:]
    private var lastTitle = 0

    /// Registers a title that begins at `time` of an item. Returns the watch that reports when it
    /// is heard.
    mutating func addTitle(_ title: String, at time: CMTime) -> TimeWatch {
        lastTitle += 1
        titles[lastTitle] = title
        return TimeWatch(id: .title(lastTitle), times: .at([time]))
    }

    /// The title that the station gives to what is heard of an item; nil if it gives none, or
    /// another item is heard.
    func streamTitle(of item: ItemID?) -> String? { heard?.item.id == item ? heard?.title : nil }

    /// Handles an input and returns the effects to perform, in order.
    mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .queue(let queue): self.queue = queue
        case .opened(let item, let description):
            opened.removeAll { $0.item.id == item.id }
            opened.append((item.described(by: description), description))
        case .measured(let item, let length): return measured(item, length)
        case .willHold(let status): request = .hold(status)
        case .willRun: willRun()
        case .output(let report): return handle(report)
        case .serverLost(let reason): return lostServer(reason)
        case .serverReset: return resetServer()
        case .network(let stream, let url): return network(stream, at: url)
        case .clock(let event): return handle(event)
        }
        return []
    }

    private mutating func willRun() {
        request = .run(statusWhenSilent: request.statusWhenSilent)
    }

    /// Publishes the exact length of the item that is heard.
    private mutating func measured(_ item: ItemID, _ length: CMTime) -> [Effect] {
        guard let index = opened.firstIndex(where: { $0.item.id == item }) else { return [] }
        var description = opened[index].description
        guard description.duration != length || !description.isDurationExact else { return [] }
        (description.duration, description.isDurationExact) = (length, true)
        opened[index] = (opened[index].item.described(by: description), description)
        guard heard?.item.id == item else { return [] }
        heard?.item = opened[index].item
        return [.publish(.item(.measured(opened[index].item, description)))]
    }

    /// Publishes when the bytes of the current item cease to arrive, and when they arrive again.
    private mutating func network(_ stream: NetworkItemState, at url: FilePath) -> [Effect] {
        // A connection in progress has not succeeded.
        guard queue.current?.source == .network(url: url), stream.state != .connecting else {
            return []
        }
        let trouble = stream.state == .waiting ? stream.reason : nil
        guard trouble != networkTrouble else { return [] }
        networkTrouble = trouble
        let event = NetworkEvent(
            host: stream.host, network: stream.state, trouble: stream.reason, retry: stream.retry)
        return [.publish(.network(event))]
    }

    // MARK: The output and its server

    private mutating func handle(_ report: OutputReport) -> [Effect] {
        switch report {
        case .lost(let error, _, _):
            if case .run = request { request = .run(statusWhenSilent: .waiting(.noOutput)) }
            return error.isOfServer ? lostServer(error.reason) : []
        case .works: return resetServer()
        case .failed: request = .hold(.waiting(.noOutput))
        case .stillLost, .settingVolume, .held, .starved, .finished, .stopped: break
        }
        return []
    }

    private mutating func lostServer(_ reason: String) -> [Effect] {
        defer { isServerLost = true }
        return isServerLost ? [] : [.publish(.mediaServicesWereLost(reason: reason))]
    }

    private mutating func resetServer() -> [Effect] {
        defer { isServerLost = false }
        return isServerLost ? [.publish(.mediaServicesWereReset)] : []
    }

    // MARK: The clock

    private mutating func handle(_ event: ClockEvent) -> [Effect] {
        switch event {
        case .running:
            willRun()
            return [.publish(.state, [.status(.playing)]), .callPeriodicObservers(nil)]
        case .observed(.crossed(let watch, _, let time)): return crossed(watch, time)
        case .observed(.began(let segment)): return began(segment)
        case .observed(.left(let item, let time)):
            if heard?.item.id == item { heard?.leftAt = time }
            return [Self.exactTime(time)]
        case .observed(.ended(let item, let time)): return ended(item, time)
        case .held(let item, let time, let isReported):
            return held(item, isReported ? nil : time, request.statusWhenSilent)
        case .starved(let item, let time, let isReported):
            return held(item, isReported ? nil : time, statusWhenStarved)
        case .finished: return leave()
        case .uncertain(let seconds): return [.publish(.clock(uncertainty: seconds))]
        case .replenished, .secondPassed, .stopped: return []
        }
    }

    /// The status when no bytes are left, unless silence was requested.
    private var statusWhenStarved: TimeControlStatus {
        switch request {
        case .hold(let status): status
        case .run: .waiting(.toMinimizeStalls)
        }
    }

    private static func exactTime(_ time: CMTime, _ changes: [HeadChange] = []) -> Effect {
        .publish(.time(isExact: true), [.position(time)] + changes)
    }

    /// The effect of crossing a watched time; nil where it depends on the state. Called a hundred
    /// times a second.
    static func effect(ofCrossing watch: WatchID, at time: CMTime) -> Effect? {
        switch watch {
        case .interval: .publishCrossing(.time(isExact: false), time)
        case .boundaries: .publishCrossing(.boundary, time)
        case .addedInterval: .publishCrossing(.time(isExact: false), time, watch: watch)
        case .addedBoundaries: .publishCrossing(.boundary, time, watch: watch)
        case .observer(let number): .callObserver(number, time)
        case .title: nil
        }
    }

    private mutating func crossed(_ watch: WatchID, _ time: CMTime) -> [Effect] {
        if let effect = Self.effect(ofCrossing: watch, at: time) { return [effect] }
        guard case .title(let number) = watch, let title = titles.removeValue(forKey: number)
        else { return [] }
        // Between two songs, stations send an empty one.
        heard?.title = title.isEmpty ? nil : title
        return [.publish(.metadata(title: title), [.position(time)])]
    }

    private mutating func began(_ segment: Timeline.Segment) -> [Effect] {
        if let index = opened.firstIndex(where: { $0.item.id == segment.item }) {
            opened.removeSubrange(..<index)
        }
        let description = opened.first.flatMap { $0.item.id == segment.item ? $0 : nil }?
            .description
        guard let item = description == nil ? heard?.item : opened.first?.item else { return [] }
        let isSame = heard?.item.id == segment.item
        let start: [HeadChange] = [.position(segment.origin), .rate(segment.rate)]
        var effects: [Effect] = []
        if isSame && heard?.leftAt != nil {
            effects = [.publish(.jump, start + [.jump])]
        } else {
            let place = queue.index(of: segment.item)
            let changes = start + [.item(segment.item, place: place)]
            let event = PlayerEvent.Kind.item(.began(item, description))
            effects = leave() + [.publish(event, changes + (segment.isJump ? [.jump] : []))]
        }
        heard = Heard(item: item, title: isSame ? heard?.title : nil)
        if segment.isJump {
            effects += [.publish(.time(isExact: true)), .callPeriodicObservers(segment.origin)]
        }
        return effects
    }

    /// Publishes that the item was left for another, or for nothing.
    private mutating func leave() -> [Effect] {
        guard let item = heard?.item, let time = heard?.leftAt.take() else { return [] }
        return [.publish(.item(.left(item, at: time)))]
    }

    private func ended(_ item: ItemID, _ time: CMTime) -> [Effect] {
        let effects = [Self.exactTime(time), .callPeriodicObservers(time)]
        guard let heard = heard?.item, heard.id == item else { return effects }
        return effects + [.publish(.item(.ended(heard, at: time)))]
    }

    /// Publishes that sound has stopped at a time of an item; nil for a time that was reported.
    private func held(
        _ item: ItemID?, _ time: CMTime?, _ status: TimeControlStatus
    ) -> [Effect] {
        let state = Effect.publish(.state, [.status(status)])
        guard item != nil, let time else { return [state] }
        return [Self.exactTime(time, [.status(status)]), .callPeriodicObservers(time), state]
    }
}

extension QueueItem {
    /// The item with the facts of its file.
    fileprivate func described(by description: MediaDescription) -> QueueItem {
        var item = self
        item.facts = ItemFacts(description)
        return item
    }
}
