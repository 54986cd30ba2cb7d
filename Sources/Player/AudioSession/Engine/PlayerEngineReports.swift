import Glibc
import Synchronization
import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Reports of the player for a service.
extension PlayerEngine {
    var sessionReport: SessionReport {
        catchUp()
        let now = moment
        let position = player.reportedTime(at: now)
        return SessionReport(
            player: playerStatus(at: now.hostTime, position), status: status,
            current: player.queue.current, position: position, isSeekable: player.isSeekable,
            descriptions: player.descriptions, settings: settings,
            applicationStateSince: permission.applicationStateSince,
            decision: policyDecision, suppressedSince: permission.suppressedSince,
            category: permission.policy.category, digitalSilenceSince: silence.since,
            run: player.runCount,
            isRunning: player.isRunning, isFadingOut: player.isFadingOut, output: output,
            hostTime: now.hostTime)
    }

    /// The status for others. A service adds when it is suspended, and its sleep timer.
    private func playerStatus(at hostTime: Int64, _ position: CMTime) -> PlayerStatus {
        let queue = player.queue
        var seen = PlayerStatus(
            status: status.state, reason: status.reason.map { Open(word: $0) },
            wantsPlayback: wantsPlayback,
            item: queue.current.map { ListedItem($0, at: queue.index) }, place: queue.index,
            count: queue.count, position: WireTime(position), settings: Settings(settings),
            host: permission.applicationState, hostSource: permission.applicationStateSource)
        if let title = reporter.streamTitle(of: queue.currentID) { seen.item?.title = title }
        if serverPolicy.isDeviceSilent { seen.deviceSilent = true }
        if case .network(let url)? = queue.current?.source {
            let stream = configuration.network?.openStream(at: url.description)
            seen.network = stream.map { NetworkItemState($0, at: hostTime) }
        }
        guard let description = queue.currentID.flatMap({ player.descriptions[$0] }) else {
            return seen
        }
        let tag = { (name: String) in description.tags[name].flatMap { $0.isEmpty ? nil : $0 } }
        (seen.genre, seen.track, seen.year) = (tag("genre"), tag("track"), tag("year"))
        seen.chapter = description.chapters.title(at: position)
        seen.replayGain = gain(of: description)
        return seen
    }

    /// The gain by which an item is played; nil if its samples stay as they are.
    private func gain(of description: MediaDescription) -> AppliedGain? {
        guard settings.replayGain != .off, description.replayGain.hasGain else { return nil }
        let factor = settings.passageSettings.factor(of: description.replayGain)
        return AppliedGain(
            mode: settings.replayGain, decibels: (20 * log10(factor) * 100).rounded() / 100,
            source: description.isReplayGainMeasured ? .measured : .tags)
    }

    private var policyDecision: PolicyDecision {
        permission.decision
            ?? PolicyDecision(reasons: [], hasAudioCapability: false, capabilitySource: "none")
    }

    /// Calls `handler` with events that describe the current state, and then `then`, before any
    /// other event happens.
    func sendSnapshot(
        interval: CMTime?, sleep: SleepReport,
        _ handler: @escaping @Sendable (PlayerEvent) -> Void, then: () -> Void
    ) {
        catchUp()
        var description = configuration.description
        description.interval = interval.map { WireTime($0) }
        description.declare(
            Declaration(permission.capabilities, in: policyDecision.capabilitySource))
        description.output = output.name
        var initialEvents: [PlayerEvent.Kind] = [
            .session(description),
            .application([], source: permission.applicationStateSource), .policy(policyDecision),
        ]
        if settings != PlayerSettings() { initialEvents.append(.settings(SettingsEvent(settings))) }
        if sleep != SleepReport() { initialEvents.append(.sleep(sleep)) }
        if player.queue.currentID != nil { initialEvents.append(queueEvent) }
        if let heard = player.heard, let item = player.queue.item(heard) {
            initialEvents.append(.item(.began(item, player.descriptions[heard])))
            if let title = reporter.streamTitle(of: heard) {
                initialEvents.append(.metadata(title: title))
            }
            initialEvents.append(.state)
        }
        hub.sendSnapshot(with: initialEvents, at: hostTime, handler, then: then)
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

    /// The items of `ids` that are in the queue, with their places, in play order.
    func places(of ids: some Sequence<ItemID>) -> [(place: Int, item: QueueItem)] {
        catchUp()
        let (wanted, queue) = (Set(ids), player.queue)
        let places = queue.ids.indices.filter { wanted.contains(queue.ids[$0]) }
        return places.compactMap { place in
            queue.content(of: queue.ids[place]).map { (place, $0) }
        }
    }

    /// The order of the whole queue.
    var order: QueueOrder {
        catchUp()
        return player.queue.order
    }

    /// Part of the queue, in play order.
    func page(offset: Int, limit: Int) -> QueuePage {
        catchUp()
        let queue = player.queue
        let places = max(0, offset)..<max(0, offset, queue.count)
        let items = queue.items(at: places, limit: limit)
        let part = QueuePart(
            items: items, current: queue.currentID?.number, offset: max(0, offset),
            count: queue.count)
        return QueuePage(part: part, place: queue.index)
    }

    /// Publishes the end of a run that had nothing to play, unless another run is in progress.
    func publishEmptyRun(_ end: SessionEnd) {
        catchUp()
        if player.queue.currentID == nil { publish(.runEnded(end)) }
    }

    /// Returns when no sound is playing, at the latest after the time that a stop may take.
    func silence() async {
        await wait(upTo: Player.stopDeadline) { whenSilent($0) }
    }

    /// Returns when it is known what plays, at the latest after the time that a disk may take to
    /// spin up.
    func settle() async {
        await wait(upTo: Self.openDeadline) { whenReady($0) }
    }

    /// Waits until the handler passed to `register` is called, at most so many seconds.
    private func wait(
        upTo seconds: Double, _ register: (@escaping @Sendable () -> Void) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(continuation)
            let end = { @Sendable in waiting.withLock { $0.take() }?.resume() }
            register { end() }
            guard waiting.withLock({ $0 != nil }) else { return }
            // A sleeping task would use Swift's shared threads, whose watch wakes every second.
            call(after: seconds) { _ in end() }
        }
    }
}

extension OutputDestination {
    /// The name in events.
    var name: String {
        switch self {
        case .pulse: "pulse"
        case .pulseSimple: "pulseSimple"
        case .null: "null"
        case .wav: "wav"
        }
    }
}
