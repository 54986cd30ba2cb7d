import Foundation
import Synchronization
import UndersongAudioSession
import UndersongPlayback

/// Handles the session's events. Everything runs on the main queue, in the order in which it was
/// heard (behaviour 2.3: `didPlayToEnd` while the item is still current, then one change of
/// `currentItem`).
extension AVPlayer {
    func handle(_ event: PlayerEvent) {
        switch event.kind {
        case .item(.began(let item, _)): began(item.id, event.head)
        case .item(.measured(let item, let description)):
            entry(item.id)?.item.measured(description.duration)
        case .item(.ended(let item, let time)):
            ended(item.id, at: time, hostTime: event.head.hostTime)
        case .jump: jumped(event.head.item, event.head)
        case .state: stateChanged(event.head)
        case .metadata(let title): entry(event.head.item)?.item.setTitle(title)
        case .error(let failure): failed(failure)
        case .end(let end), .runEnded(let end): sessionEnded(end)
        default: break
        }
    }

    /// Ends a seek at the moment when it is heard, before time observers report what follows. On the
    /// thread on which that happens.
    func land(_ event: PlayerEvent) {
        state.withLock { state in
            switch event.kind {
            case .item(.began), .jump:
                guard state.current?.id == event.head.item else { return }
                state.place.began(at: event.head.position)
            case .item(.ended(let item, _)):
                if state.current?.id == item.id { state.place.forget() }
            default: break
            }
        }
    }

    private func entry(_ id: ItemID?) -> PlayerState.Entry? {
        state.withLock { state in id.flatMap { state.index(of: $0) }.map { state.entries[$0] } }
    }

    private func began(_ id: ItemID, _ head: PlayerEvent.Head) {
        pass { state in state.index(of: id) ?? 0 }
        let isAgain = change { state -> Bool in
            guard state.current?.id == id else { return false }
            defer {
                state.entries[0].hasBegun = true
                state.entries[0].end = nil
                state.began(head)
            }
            return state.entries[0].hasBegun
        }
        if head.status == .playing { entry(id)?.item.beganSounding() }
        if isAgain { jumped(id, head) }
    }

    /// Removes the first `count` entries, which were heard to their end, or skipped because they
    /// cannot be played. The latter is reported while they are still in the queue.
    private func pass(_ count: (PlayerState) -> Int) {
        let entries = state.withLock { Array($0.entries.prefix(count($0))) }
        for entry in entries where entry.item.status == .failed && !entry.hasEnded {
            post.remove(entry.id)
            postEnd(of: entry.item)
        }
        guard let last = entries.last else { return }
        change { state in
            guard let index = state.index(of: last.id) else { return }
            state.drop(index + 1)
        }
    }

    private func ended(_ id: ItemID, at time: CMTime, hostTime: Int64) {
        guard let entry = entry(id) else { return }
        change { state in
            guard let index = state.index(of: id) else { return }
            state.entries[index].end = entry.item.withinDuration(time)
            state.place.forget()
            switch state.actionAtItemEnd {
            case .none: state.runOn = (time, hostTime)
            case .pause: state.rate = 0
            case .advance: return
            }
            state.sound.stop()
        }
        postEnd(of: entry.item)
    }

    /// Posts that an item was heard to its end, or failed before it.
    private func postEnd(of item: AVPlayerItem) {
        guard let error = item.error else {
            return NotificationCenter.default.post(
                name: .AVPlayerItemDidPlayToEndTime, object: item)
        }
        NotificationCenter.default.post(
            name: .AVPlayerItemFailedToPlayToEndTime, object: item,
            userInfo: [AVPlayerItemFailedToPlayToEndTimeErrorKey: error])
    }

    private func jumped(_ id: ItemID?, _ head: PlayerEvent.Head) {
        change { $0.began(head) }
        guard let entry = entry(id) else { return }
        for output in entry.item.metadataOutputs { output.flush() }
        NotificationCenter.default.post(name: .AVPlayerItemTimeJumped, object: entry.item)
    }

    private func stateChanged(_ head: PlayerEvent.Head) {
        // The sound is held for a pause after which play was requested: it is about to continue.
        if head.reason == .known(.userPaused), state.withLock({ $0.rate != 0 }) { return }
        let isStalled = head.reason == .known(.toMinimizeStalls)
        let sound: PlayerState.Sound =
            head.status == .playing ? .playing : isStalled ? .stalled : .none
        let item = state.withLock { $0.current?.item }
        let before = change { state in
            defer { state.sound = sound }
            return state.sound
        }
        item?.setStalled(isStalled)
        if sound == .playing { item?.beganSounding() }
        if isStalled, before == .playing, let item {
            item.countStall()
            NotificationCenter.default.post(name: .AVPlayerItemPlaybackStalled, object: item)
        }
        if isStalled, !automaticallyWaitsToMinimizeStalling { setRate(0) }
        if head.reason == .known(.noItemToPlay), actionAtItemEnd == .advance {
            pass { $0.entries.prefix { $0.hasEnded || $0.item.status == .failed }.count }
        }
    }

    private func failed(_ failure: SessionFailure) {
        if let entry = entry(failure.item) { return entry.item.fail(AssetError.make(failure)) }
        let error = AVError(failure)
        if error.code == .mediaServicesWereReset { state.withLock { $0.error = error } }
    }

    private func sessionEnded(_ end: SessionEnd) {
        guard case .outputFailed = end.reason else { return }
        change { state in
            state.status = .failed
            state.rate = 0
            state.sound.stop()
        }
    }
}

extension PlayerEvent.Kind {
    /// True if the event changes a player. Time events, which are many, do not.
    var concernsPlayer: Bool {
        switch self {
        case .item(.began), .item(.measured), .item(.ended), .jump, .state, .metadata, .error, .end,
            .runEnded:
            true
        default: false
        }
    }
}
