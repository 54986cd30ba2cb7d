import UndersongAudioSession
import UndersongBackground
import UndersongControl
import UndersongPlayback
import UndersongPodcasts

extension PlayerEvent {
    /// Creates the encodable form of a session's event.
    init(_ event: SessionEvent, missed: Int = 0) {
        let snapshot = event.snapshot
        self.init(Kind(event.kind, snapshot))
        head.seq = event.sequence
        head.monotonic = event.hostTime
        head.item = snapshot.item?.number
        head.place = snapshot.place
        if head.item != nil { (head.index, head.number) = (head.place, head.place + 1) }
        head.generation = snapshot.generation
        head.state = snapshot.applicationState.name
        head.status = snapshot.status.name
        head.reason = snapshot.status.reason
        head.missed = missed > 0 ? missed : nil
        head.fill(event.kind)
    }
}

extension PlayerEvent.Head {
    /// Fills the fields in which some kinds of events differ from the others.
    fileprivate mutating func fill(_ kind: SessionEvent.Kind) {
        switch kind {
        case .itemEnded(let item, _), .itemLeft(let item, _): self.item = item.id.number
        case .mediaServicesWereLost(let reason): self.reason = reason
        case .routeChanged(let change): reason = change.reason.name
        case .error(let failure):
            item = failure.item?.number
            reason = failure.reason
        case .end(let end), .runEnded(let end): reason = end.reason.name
        default: break
        }
    }
}

extension PlayerEvent.Kind {
    fileprivate init(_ kind: SessionEvent.Kind, _ snapshot: SessionEvent.Snapshot) {
        self =
            switch kind {
            case .session(let session): .session(PlayerEvent.Session(session))
            case .queue(let items, let count):
                .queue(PlayerEvent.Queue(count: count, items: items.map { PlayerEvent.Entry($0) }))
            case .itemBegan(let item, let description):
                .item(PlayerEvent.Item(item, "began", description))
            case .itemMeasured(let item, let description):
                .item(PlayerEvent.Item(item, "measured", description))
            case .itemEnded(let item, let time): .item(PlayerEvent.Item(item, endedAt: time))
            case .itemLeft(let item, let time): .item(PlayerEvent.Item(item, "left", at: time))
            case .state: .state(PlayerEvent.State(snapshot))
            case .jump: .jump(PlayerEvent.State(snapshot))
            case .boundary: .boundary(PlayerEvent.Boundary(snapshot.position))
            case .clock(let uncertainty): .clock(PlayerEvent.Clock(uncertainty: uncertainty))
            case .settings(let settings): .settings(SettingsEvent(settings))
            case .time(let isExact): .time(PlayerEvent.Time(snapshot, isExact: isExact))
            case .application(let events, let source):
                .application(
                    PlayerEvent.Application(lifecycle: events.map(\.rawValue), source: source))
            case .policy(let decision): .policy(PlayerEvent.Policy(decision))
            case .mediaServicesWereLost: .mediaServicesWereLost
            case .mediaServicesWereReset: .mediaServicesWereReset
            case .routeChanged(let change): .routeChange(PlayerEvent.RouteChange(change))
            case .interruption(let event): .interruption(PlayerEvent.Interruption(event))
            case .otherAudio(let audio):
                .otherAudio(
                    PlayerEvent.OtherAudio(playing: audio != .none, mixable: audio == .mixable))
            case .network(let report): .network(PlayerEvent.Network(report))
            case .metadata(let title): .metadata(PlayerEvent.Metadata(title: title))
            case .episode(let report): .episode(PlayerEvent.Episode(report))
            case .refresh(let event): .refresh(event)
            case .processing(let event): .processing(event)
            case .sleep(let sleep): .sleep(PlayerEvent.Sleep(sleep))
            case .tags(let count): .tags(PlayerEvent.Tags(count: count))
            case .badge(let count): .badge(PlayerEvent.Badge(count: count))
            case .push(let report): .push(PlayerEvent.Push(report))
            case .location(let event): .location(event)
            case .region(let event): .region(event)
            case .visit(let visit): .visit(visit)
            case .error(let failure):
                .error(PlayerEvent.Failure(code: failure.code, message: failure.description))
            case .end(let end), .runEnded(let end):
                .end(PlayerEvent.End(played: end.playedCount, failed: end.failedCount))
            }
    }
}

extension PlayerEvent.Sleep {
    fileprivate init(_ sleep: SleepReport) {
        self.init(
            time: sleep.time, fade: sleep.fade, fading: sleep.fading, after: sleep.after?.rawValue)
    }
}

extension PlayerEvent.Episode {
    fileprivate init(_ report: EpisodeReport) {
        self.init(
            episode: report.episode, feed: report.feed, podcast: report.podcast,
            title: report.title, phase: report.phase.rawValue, path: report.path,
            problem: report.problem)
    }
}

extension PlayerEvent.Session {
    fileprivate init(_ session: SessionDescription) {
        self.init(
            version: session.version, schema: 1, output: session.output,
            interval: session.interval.map { PlayerEvent.Duration($0) },
            category: session.category.rawValue,
            capabilities: session.capabilities.backgroundModes.map(\.rawValue).sorted(),
            capabilitySource: session.capabilitySource)
    }
}

extension PlayerEvent.State {
    fileprivate init(_ snapshot: SessionEvent.Snapshot) {
        self.init(
            position: PlayerEvent.Duration(snapshot.position), rate: snapshot.rate,
            deviceSilent: snapshot.isDeviceSilent ? true : nil)
    }
}

extension PlayerEvent.Time {
    fileprivate init(_ snapshot: SessionEvent.Snapshot, isExact: Bool) {
        let time = snapshot.position
        self.init(
            value: time.value, timescale: time.timescale, seconds: time.seconds,
            rate: snapshot.rate, exact: isExact)
    }
}

extension PlayerEvent.Boundary {
    fileprivate init(_ time: CMTime) {
        self.init(value: time.value, timescale: time.timescale, seconds: time.seconds)
    }
}

extension PlayerEvent.Network {
    fileprivate init(_ state: NetworkItemState) {
        self.init(
            host: state.host, network: state.state.rawValue, trouble: state.reason,
            retry: state.retry)
    }
}

extension PlayerEvent.Push {
    fileprivate init(_ report: PushReport) {
        self.init(
            phase: report.phase.rawValue, push: report.push, topic: report.topic,
            because: report.because, result: report.result?.rawValue)
    }
}

extension PlayerEvent.Policy {
    fileprivate init(_ decision: PolicyDecision) {
        self.init(
            decision: decision.reasons.isEmpty ? "allowed" : "suppressed",
            reasons: decision.reasons.map(\.rawValue),
            audioCapability: decision.hasAudioCapability,
            capabilitySource: decision.capabilitySource)
    }
}

extension PlayerEvent.Device {
    fileprivate init(_ device: OutputDevice) {
        self.init(
            name: device.name, description: device.description, port: device.port.rawValue)
    }
}

extension PlayerEvent.RouteChange {
    fileprivate init(_ change: RouteChange) {
        self.init(
            reasonCode: change.reason.rawValue,
            previous: change.previous.map { PlayerEvent.Device($0) },
            route: change.current.map { PlayerEvent.Device($0) })
    }
}

extension PlayerEvent.Interruption {
    fileprivate init(_ event: InterruptionEvent) {
        self.init(
            type: event.hasBegun ? "began" : "ended", source: event.source.kind,
            by: event.source.name, shouldResume: event.hasBegun ? nil : event.shouldResume)
    }
}

extension RouteChangeReason {
    /// Apple's name for it.
    fileprivate var name: String {
        switch self {
        case .unknown: "unknown"
        case .newDeviceAvailable: "newDeviceAvailable"
        case .oldDeviceUnavailable: "oldDeviceUnavailable"
        case .categoryChange: "categoryChange"
        case .override: "override"
        case .wakeFromSleep: "wakeFromSleep"
        case .noSuitableRouteForCategory: "noSuitableRouteForCategory"
        case .routeConfigurationChange: "routeConfigurationChange"
        }
    }
}
