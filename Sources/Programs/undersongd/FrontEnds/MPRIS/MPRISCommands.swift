import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform
import UndersongPlayback

/// Commands from desktops, as use cases. A pause counts as the user's.
extension MPRISFrontEnd {
    func perform(_ command: MediaPlayerCommand) async throws(ServiceError) {
        switch command {
        case .quit: break
        case .player(let command): try await perform(command)
        case .seek(let microseconds):
            _ = try await player.seek(by: Double(microseconds) / 1e6)
        case .setPosition(let microseconds): try await seek(to: microseconds)
        case .open(let url): try await open(url)
        case .setLoopStatus(let status): try await set { $0.repeat = status.mode }
        case .setRate(let rate): try await set { $0.rate = rate }
        case .setShuffled(let isShuffled): try await set { $0.shuffle = isShuffled }
        case .setVolume(let volume): try await setVolume(volume)
        case .addTrack(let url, let after, let becomesCurrent):
            let items = try await add(url, after: after)
            if becomesCurrent { try await player.jump(to: items[0]) }
        case .removeTrack(let id):
            try await withTrack(id) { item async throws(ServiceError) in
                try await player.remove([item])
            }
        case .goTo(let id):
            try await withTrack(id) { item async throws(ServiceError) in
                try await player.jump(to: item)
            }
        case .activatePlaylist(let id): try await playPlaylist(id)
        }
    }

    // MARK: Playing and pausing

    private func perform(_ command: PlayerCommand) async throws(ServiceError) {
        switch command {
        case .toggle: try await playOrPause()
        case .stop: await player.stopAtStart()
        case .resume: try await play()
        case .pause, .next, .previous, .nextChapter, .previousChapter:
            try await player.perform(command)
        }
    }

    private func playOrPause() async throws(ServiceError) {
        switch await player.report.status {
        case .playing, .waiting: await player.pause()
        case .paused: try await play()
        }
    }

    private func play() async throws(ServiceError) {
        try await checkSoundIsAllowed(to: "play")
        try await player.resume()
    }

    /// Checks that sound is allowed.
    ///
    /// - Throws: Nothing would be heard in the host's current state.
    private func checkSoundIsAllowed(to purpose: String) async throws(ServiceError) {
        guard let reason = await player.report.decision.forbiddance else { return }
        throw ServiceError(.notPossible, purpose, reason)
    }

    private func seek(to microseconds: Int64) async throws(ServiceError) {
        guard let item = await player.report.current else { return }
        let time = CMTime(value: microseconds, timescale: 1_000_000)
        _ = try await player.seek(to: item.start + time)
    }

    // MARK: Settings

    private func set(_ change: (inout SettingsChange) -> Void) async throws(ServiceError) {
        var settings = SettingsChange()
        change(&settings)
        _ = try await player.set(settings)
    }

    private func setVolume(_ volume: Double) async throws(ServiceError) {
        try await set { change in
            change.volume = volume * 100
            if volume > 0 { change.muted = false }
        }
    }

    // MARK: The queue

    /// Plays what a URL names after the current item; the queue is kept.
    private func open(_ url: String) async throws(ServiceError) {
        let media = try await names(of: url, to: "open \(url)")
        try await checkSoundIsAllowed(to: "open \(url)")
        let items = try Self.found(try await player.insert(media, after: nil), to: "open \(url)")
        try await player.jump(to: items[0])
        try await player.resume()
    }

    /// Adds what a URL names after a track; nil to add it before all others.
    private func add(_ url: String, after id: String?) async throws(ServiceError) -> [ItemID] {
        let purpose = "add \(url)"
        let media = try await names(of: url, to: purpose)
        if let id {
            guard let item = ItemID(track: id) else { throw .noTrack(id, to: purpose) }
            return try Self.found(try await player.insert(media, after: item), to: purpose)
        }
        guard let first = await player.page(offset: 0, limit: 1).items.first else {
            return try Self.found(try await player.add(media), to: purpose)
        }
        let items = try Self.found(try await player.insert(media, after: first.id), to: purpose)
        try await player.move(first.id, after: items.last)
        return items
    }

    /// Returns the files, or the file on the network, that a URL names.
    ///
    /// - Throws: It is another kind of URL, or names no file.
    private func names(
        of url: String, to purpose: String
    ) async throws(ServiceError) -> Files {
        if NetworkName.isOne(FilePath(url)) {
            return Files([NetworkName.escaped(FilePath(url))])
        }
        guard let path = PlaylistNames.path(ofFileURL: FilePath(url)) else {
            throw ServiceError(.invalidValue, purpose, "it is not a file, HTTP or HTTPS URL")
        }
        if let reason = await player.problem(with: path) {
            throw ServiceError(.notFound, purpose, reason)
        }
        return Files([path])
    }

    /// Returns the items that were found.
    ///
    /// - Throws: There are none.
    private static func found(
        _ addition: Addition, to purpose: String
    ) throws(ServiceError) -> [ItemID] {
        guard addition.items.isEmpty else { return addition.items }
        throw ServiceError(
            .notFound, purpose, addition.errors.first?.reason ?? "it names nothing to play")
    }

    /// Calls `body` with a track; does nothing if the queue lacks it.
    private func withTrack(
        _ id: String, _ body: (ItemID) async throws(ServiceError) -> Void
    ) async throws(ServiceError) {
        guard let item = ItemID(track: id) else { return }
        do throws(ServiceError) {
            try await body(item)
        } catch {
            if error.code != .notFound { throw error }
        }
    }

    private func playPlaylist(_ id: String) async throws(ServiceError) {
        guard let queue = playlists.first(where: { PlaylistDescription($0).id == id }) else {
            throw ServiceError(.notFound, "play \(id)", "there is no such playlist")
        }
        try await checkSoundIsAllowed(to: "play \(queue.name.text)")
        played = (queue, try await player.play(queue.name, for: client))
    }
}

extension PolicyDecision {
    /// The reason why no sound may be played until the host enters the foreground; nil if it may.
    var forbiddance: String? {
        for reason in reasons {
            switch reason {
            case .appBackgrounded:
                return "the host is in the background, and the audio mode is not declared"
            case .categoryForbidsBackground:
                return "the host is in the background, where this category never plays"
            default: break
            }
        }
        return nil
    }
}

extension ServiceError {
    fileprivate static func noTrack(_ id: String, to purpose: String) -> ServiceError {
        ServiceError(.notFound, purpose, "the queue has no track \(id)")
    }
}

extension BusError {
    /// The D-Bus error.
    init(_ error: ServiceError) {
        let standard: Standard =
            switch error.code {
            case .invalidValue: .invalidArguments
            case .notFound, .notPossible: .failed
            }
        self.init(standard, error.description)
    }
}
