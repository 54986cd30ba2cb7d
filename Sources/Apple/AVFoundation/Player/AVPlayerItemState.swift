import Dispatch
import Foundation
import Observation
import Synchronization
import UndersongPlayback

/// A player's changes of its items.
extension AVPlayerItem {
    /// Adds the item to a player under `id`. Returns false if it is in a player already.
    func attach(to player: AVPlayer, as id: ItemID) -> Bool {
        let isFree = state.withLock { state in
            guard state.player == nil else { return false }
            state.player = player
            state.id = id
            state.attached = ProcessInfo.processInfo.systemUptime
            state.isAccessOpen = false
            return true
        }
        guard isFree else { return false }
        watchBuffer()
        asset.loader.load { [weak self] description in
            MainQueue.async { [weak self] in self?.finishLoading(description, in: id) }
        }
        return true
    }

    /// Removes the item from its player; it will start from zero again.
    func detach() {
        state.withLock { state in
            state.player = nil
            state.id = nil
            state.start = .zero
            state.isStalled = false
        }
        guard case .network(let url) = asset.loader.source else { return }
        NetworkMedia.streams.setReadAhead(nil, at: url.description)
    }

    /// Reports what arrives, if the item is on the network.
    private func watchBuffer() {
        guard case .network(let url) = asset.loader.source else { return }
        setReadAhead()
        NetworkMedia.streams.observe { [weak self] stream in
            guard let self else { return false }
            if stream.url == url.description {
                setReadAhead()
                MainQueue.async { [weak self] in self?.bufferChanged() }
            }
            return true
        }
    }

    /// The item as the player's queue stores it.
    func queueItem(_ id: ItemID) -> QueueItem {
        let (start, end, volume) = state.withLock { ($0.start, $0.forwardEnd, $0.volume) }
        var item = QueueItem(
            id: id, source: asset.loader.source, start: start, end: end.isNumeric ? end : nil)
        item.volume = volume
        return item
    }

    private func finishLoading(_ description: AssetLoader.Description, in id: ItemID) {
        guard state.withLock({ $0.id == id }) else { return }
        switch description {
        case .success(let description):
            guard state.withLock({ $0.status == .unknown }) else { return }
            // Observers of the item's readiness may rely on the player's, so this comes first.
            state.withLock(\.player)?.becameReady(self)
            change(["status", "duration"]) { state in
                state.status = .readyToPlay
                state.startupTime =
                    state.attached.map { ProcessInfo.processInfo.systemUptime - $0 } ?? -1
                if description.duration.isNumeric { state.duration = description.duration }
            }
            guard !description.isDurationExact else { return }
            asset.loader.measure { [weak self] length in
                guard let length else { return }
                MainQueue.async { [weak self] in self?.measured(length) }
            }
        case .failure(let error):
            fail(AssetError.make(error))
        }
    }

    /// Sets the exact length.
    func measured(_ length: CMTime) {
        guard state.withLock({ $0.duration != length }) else { return }
        change(["duration"]) { $0.duration = length }
    }

    /// Reports that the item cannot be played, or not to its end. Only the first error counts.
    func fail(_ error: any Error) {
        guard state.withLock({ $0.status != .failed }) else { return }
        change(["status", "error"]) { state in
            state.status = .failed
            state.error = error
            state.events.append(AVPlayerItemErrorLogEvent(error, uri: asset.location))
        }
        NotificationCenter.default.post(name: .AVPlayerItemNewErrorLogEntry, object: self)
    }

    /// Passes the part of the asset to be heard to the player.
    func applyRange() {
        let (player, id) = state.withLock { ($0.player, $0.id) }
        guard let player, let id else { return }
        let item = queueItem(id)
        player.session.player.post.setRange(of: id, start: item.start, end: item.end)
    }

    // MARK: Observing

    func read<Value>(
        _ keyPath: KeyPath<AVPlayerItem, Value>, _ property: String, _ value: (State) -> Value
    ) -> Value {
        keyValueObservers.access(property)
        registrar.access(self, keyPath: keyPath)
        return state.withLock { value($0) }
    }

    private func change(_ properties: [String], _ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        for property in properties {
            switch property {
            case "status": announce(\.status)
            case "error": announce(\.error)
            default: announce(\.duration)
            }
        }
        keyValueObservers.changed(properties)
    }

    private func announce(_ keyPath: KeyPath<AVPlayerItem, some Any>) {
        registrar.willSet(self, keyPath: keyPath)
        registrar.didSet(self, keyPath: keyPath)
    }
}
