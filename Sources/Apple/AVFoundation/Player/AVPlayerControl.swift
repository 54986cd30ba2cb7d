import Foundation
import Observation
import Synchronization
import UndersongAudioSession
import UndersongPlayback

/// A property of a player that can be observed: under its name by key-value observation, and by its
/// key path.
private struct ObservedProperty: Sendable {
    static let all = [
        ObservedProperty("currentItem", \.currentItem) {
            $0.current.map { ObjectIdentifier($0.item) }
        },
        ObservedProperty("rate", \.rate) { $0.rate },
        ObservedProperty("defaultRate", \.defaultRate) { $0.defaultRate },
        ObservedProperty("timeControlStatus", \.timeControlStatus) { $0.timeControlStatus },
        ObservedProperty("reasonForWaitingToPlay", \.reasonForWaitingToPlay) {
            $0.reasonForWaitingToPlay
        },
        ObservedProperty("status", \.status) { $0.status },
        // An error comes with the status.
        ObservedProperty("error", \.error) { $0.status },
        ObservedProperty("actionAtItemEnd", \.actionAtItemEnd) { $0.actionAtItemEnd },
        ObservedProperty("volume", \.volume) { $0.volume },
        ObservedProperty("isMuted", \.isMuted) { $0.isMuted },
    ]

    let name: String
    /// The value that shows whether the property has changed.
    let value: @Sendable (PlayerState) -> AnyHashable
    let notify: @Sendable (AVPlayer) -> Void

    init(
        _ name: String, _ keyPath: any KeyPath<AVPlayer, some Any> & Sendable,
        _ value: @escaping @Sendable (PlayerState) -> some Hashable & SendableMetatype
    ) {
        self.name = name
        self.value = { AnyHashable(value($0)) }
        notify = { player in
            player.registrar.willSet(player, keyPath: keyPath)
            player.registrar.didSet(player, keyPath: keyPath)
        }
    }
}

/// The player's state: how it changes, and how its observers learn of that.
extension AVPlayer {
    func read<Value>(
        _ keyPath: KeyPath<AVPlayer, Value>, _ property: String, _ value: (PlayerState) -> Value
    ) -> Value {
        keyValueObservers.access(property)
        registrar.access(self, keyPath: keyPath)
        return state.withLock { value($0) }
    }

    /// Changes the state and notifies the observers of the properties that have changed. Setting
    /// the rate notifies those of the rate and of the status even if it changes neither, as Apple's
    /// automatic notification does.
    @discardableResult
    func change<Result: Sendable>(
        settingRate: Bool = false, _ body: (inout PlayerState) -> Result
    ) -> Result {
        let (before, after, result) = state.withLock { state in
            let before = ObservedProperty.all.map { $0.value(state) }
            let result = body(&state)
            return (before, ObservedProperty.all.map { $0.value(state) }, result)
        }
        let set: Set = settingRate ? ["rate", "timeControlStatus"] : []
        let properties = ObservedProperty.all.indices.filter { index in
            before[index] != after[index] || set.contains(ObservedProperty.all[index].name)
        }.map { ObservedProperty.all[$0] }
        for property in properties { property.notify(self) }
        let changed = properties.map(\.name)
        if changed.contains("rate") || changed.contains("currentItem") {
            AVAudioSession.sharedInstance().clientsChanged()
        }
        if !changed.isEmpty { keyValueObservers.changed(changed) }
        return result
    }

    // MARK: Steps

    /// Registers the player with the session and starts observing events.
    func begin() {
        post.set { $0.modes = PlaybackModes(isConsuming: true, itemEndAction: .pause) }
        AVAudioSession.sharedInstance().admit(self, post)
        session.subscribe { [weak self] event in
            guard event.kind.concernsPlayer else { return }
            self?.land(event)
            MainQueue.async { [weak self] in self?.handle(event) }
        }
        let session = session
        Task(executorPreference: session.executor) { await session.run() }
    }

    func setAction(_ action: ActionAtItemEnd) {
        change { $0.actionAtItemEnd = action }
        post.set { $0.modes.itemEndAction = action.itemEndAction }
    }

    /// The rates that are played, as Apple documents them for its pitch algorithms.
    private static let rates: ClosedRange<Float> = 1 / 32...32

    func setRate(_ wanted: Float, reason: RateDidChangeReason = .setRateCalled) {
        let playable: Float =
            wanted > 0 ? min(max(wanted, Self.rates.lowerBound), Self.rates.upperBound) : 0
        let rate = playable > 0 && !mayPlay(at: playable) ? 0 : playable
        let isChanged = change(settingRate: true) { state in
            defer { state.rate = rate }
            if rate == 0, wanted == 0, reason == .setRateCalled { state.interruption.pause() }
            return state.rate != rate
        }
        if rate > 0 { post.play(rate: Double(rate)) } else { post.pause() }
        guard isChanged || rate != wanted else { return }
        postRateChange(rate == wanted ? reason : .setRateFailed)
    }

    func postRateChange(_ reason: RateDidChangeReason) {
        MainQueue.async { [weak self] in
            guard let self else { return }
            NotificationCenter.default.post(
                name: Self.rateDidChangeNotification, object: self,
                userInfo: [Self.rateDidChangeReasonKey: reason])
        }
    }

    /// Appends an item, or inserts it after `other`. Precondition: it is in no player.
    func append(_ item: AVPlayerItem, after other: ItemID? = nil) {
        let id = state.withLock { $0.makeID() }
        precondition(item.attach(to: self, as: id), "an item can be in one player only")
        change { insert(PlayerState.Entry(id: id, item: item), after: other, &$0) }
    }

    /// Inserts an entry after another, or at the end for nil. Like all commands that change the
    /// queue, this is given under the lock, so that commands have the same order as the state's
    /// changes.
    func insert(_ entry: PlayerState.Entry, after other: ItemID?, _ state: inout PlayerState) {
        let place = other.flatMap { state.index(of: $0) }.map { $0 + 1 }
        state.entries.insert(entry, at: place ?? state.entries.count)
        post.insert(entry.item.queueItem(entry.id), after: other)
    }

    /// Removes the current item and continues with the next, if there is one.
    func removeCurrent() {
        change { state in
            guard let current = state.current else { return }
            state.drop(1)
            post.remove(current.id)
        }
    }

    /// Reports that an item is ready to play.
    func becameReady(_ item: AVPlayerItem) {
        change { if $0.status == .unknown { $0.status = .readyToPlay } }
    }
}

extension AVPlayer.ActionAtItemEnd {
    var itemEndAction: ItemEndAction {
        switch self {
        case .advance: .advance
        case .pause: .pause
        case .none: .none
        }
    }
}
