import Dispatch
import Foundation
import Synchronization
import UndersongAVFoundation
import UndersongBase
import UndersongLinuxPlatform

/// Shows what this process plays to Linux desktops by MPRIS, and passes on their commands: media
/// keys, panels, lock screens. It starts once the process may be Now Playing, and then stays. Any
/// thread may use it.
final class DesktopPlayer: Sendable {
    private struct State {
        var hasBegun = false
        /// Counts the items, each of which is a track.
        var number = 0
        /// The identity of the item that is shown.
        var item: [String?] = []
        /// The URL of its picture, and the picture that it was made from.
        var artwork: (picture: ObjectIdentifier, url: String?)?
    }

    private let commands: MPRemoteCommandCenter
    private let nowPlaying: MPNowPlayingInfoCenter
    private let session: @Sendable () -> AVAudioSession
    private let name: String
    private let server: MPRISServer
    private let artwork: ArtworkCache?
    private let state = Mutex(State())
    /// The queue that reads the process's state, so that states are shown in the order they were
    /// read.
    private let queue = DispatchQueue(label: "undersong.desktop")

    /// Creates a player named `name` on the bus at `address`. Pictures are stored in
    /// `artworkFolder`.
    init(
        _ commands: MPRemoteCommandCenter,
        session: @escaping @autoclosure @Sendable () -> AVAudioSession, name: String,
        address: BusAddress, artworkFolder: String?
    ) {
        let clock = MPNowPlayingInfoCenter.clock
        self.commands = commands
        nowPlaying = commands.nowPlaying
        self.session = session
        self.name = name
        server = MPRISServer(
            names: BusName.names([name], process: getpid()),
            bus: BusService(address, clock: clock), clock: clock)
        artwork = artworkFolder.map { ArtworkCache(folder: $0) }
    }

    /// The player of this process, named after its program, on the user's bus.
    convenience init(_ commands: MPRemoteCommandCenter) {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        self.init(
            commands, session: .sharedInstance(),
            name: Bundle.main.executableURL?.lastPathComponent ?? "player", address: .user,
            artworkFolder: caches?.appending(path: "undersong/artwork").path)
    }

    /// Follows the process's Now Playing state from now on.
    func follow() {
        let look = { @Sendable [self] in queue.async { self.look() } }
        nowPlaying.host.onChange(look)
        commands.host.onChange(look)
        look()
    }

    /// Removes the process from the bus.
    func stop() { server.stop() }

    /// Shows the current state, once the process may be Now Playing.
    private func look() {
        let begins = state.withLock { state in
            // Do not create an audio session only to find that no command has a handler.
            guard !state.hasBegun, commands.all.contains(where: \.hasTarget),
                commands.host.isEligible(for: session())
            else { return false }
            state.hasBegun = true
            return true
        }
        if begins {
            followSound(of: session())
            return server.start(self)
        }
        if server.isConnected { show() } else { server.lookAgain() }
    }

    private func followSound(of session: AVAudioSession) {
        session.onSoundChange { [weak session, nowPlaying] in
            if let session { nowPlaying.setSounding(session.isSounding) }
        }
        nowPlaying.setSounding(session.isSounding)
    }

    private func show() { server.update(currentState) }

    // MARK: What is shown

    private var currentState: MediaPlayerState {
        var shown = MediaPlayerState()
        shown.identity = name
        let info = NowPlayingInfo(values: nowPlaying.nowPlayingInfo)
        let repeating = commands.changeRepeatModeCommand
        let shuffling = commands.changeShuffleModeCommand
        shown.loopStatus =
            repeating.isSupported
            ? MediaPlayerState.LoopStatus(repeating.currentRepeatType) : nil
        shown.isShuffled = shuffling.isSupported ? shuffling.currentShuffleType != .off : nil
        shown.rates = rates
        shown.canGoNext = commands.nextTrackCommand.isSupported
        shown.canGoPrevious = commands.previousTrackCommand.isSupported
        shown.canPlay = commands.playCommand.isSupported || canToggle
        shown.canPause = commands.pauseCommand.isSupported || canToggle
        guard info.values != nil else { return shown }
        let rate = nowPlaying.host.playbackRate
        let isStopped = nowPlaying.playbackState == .stopped
        shown.status = isStopped ? .stopped : rate == 0 ? .paused : .playing
        if rate != 0 { shown.rate = rate }
        shown.rates = min(rates.lowerBound, shown.rate)...max(rates.upperBound, shown.rate)
        shown.canSeek = commands.changePlaybackPositionCommand.isSupported
        shown.track = track(info)
        shown.position = PlaybackPosition(
            microseconds: Self.microseconds(nowPlaying.host.elapsedPlaybackTime ?? 0),
            hostTime: Int64(nowPlaying.now() * 1e9), rate: rate)
        return shown
    }

    private var canToggle: Bool { commands.togglePlayPauseCommand.isSupported }

    /// The rates that may be requested, and 1.
    private var rates: ClosedRange<Double> {
        let command = commands.changePlaybackRateCommand
        let rates = command.isSupported ? command.supportedPlaybackRates.map(\.doubleValue) : []
        return min(1, rates.min() ?? 1)...max(1, rates.max() ?? 1)
    }

    private func track(_ info: NowPlayingInfo) -> TrackMetadata {
        var track = TrackMetadata(id: "/org/undersong/nowplaying/\(number(of: info))")
        track.title = info.text(MPMediaItemPropertyTitle)
        track.artists = info.list(MPMediaItemPropertyArtist)
        track.album = info.text(MPMediaItemPropertyAlbumTitle)
        track.albumArtists = info.list(MPMediaItemPropertyAlbumArtist)
        track.genres = info.list(MPMediaItemPropertyGenre)
        track.composers = info.list(MPMediaItemPropertyComposer)
        track.comments = info.list(MPMediaItemPropertyComments)
        track.number = info.count(MPMediaItemPropertyAlbumTrackNumber)
        track.disc = info.count(MPMediaItemPropertyDiscNumber)
        track.length = info.number(MPMediaItemPropertyPlaybackDuration).map(Self.microseconds)
        track.url = info.url
        track.created = (info.values?[MPMediaItemPropertyReleaseDate] as? Date)?
            .formatted(.iso8601)
        track.artURL = artURL(info)
        return track
    }

    /// The number of the item, a new one if anything changed that stays the same within an item.
    private func number(of info: NowPlayingInfo) -> Int {
        let item =
            [
                MPMediaItemPropertyTitle, MPMediaItemPropertyArtist, MPMediaItemPropertyAlbumTitle,
            ].map { info.text($0) } + [
                info.url, info.number(MPMediaItemPropertyPersistentID).map { "\($0)" },
                info.text(MPNowPlayingInfoPropertyExternalContentIdentifier),
            ]
        return state.withLock { state in
            if state.item != item {
                state.item = item
                state.number += 1
            }
            return state.number
        }
    }

    private func artURL(_ info: NowPlayingInfo) -> String? {
        guard let picture = info.values?[MPMediaItemPropertyArtwork] as? MPMediaItemArtwork else {
            return nil
        }
        let id = ObjectIdentifier(picture)
        if let known = state.withLock({ $0.artwork }), known.picture == id { return known.url }
        let image = picture.image(at: picture.bounds.size)
        let url = image.flatMap { image in
            image.data.isEmpty ? nil : artwork?.keep([UInt8](image.data), mediaType: "")
        }
        state.withLock { $0.artwork = (id, url) }
        return url
    }

    private static func microseconds(_ seconds: Double) -> Int64 {
        Int64(exactly: (seconds * 1e6).rounded()) ?? 0
    }
}

extension DesktopPlayer: MPRISPlayer {
    func begin() { queue.async { self.show() } }

    func refresh(_ done: @escaping @Sendable () -> Void) {
        queue.async {
            self.show()
            done()
        }
    }

    func perform(
        _ command: MediaPlayerCommand, _ done: @escaping @Sendable (BusError?) -> Void
    ) {
        guard let remote = remoteCommand(command) else {
            return done(BusError(.notSupported, "cannot do this: \(name) has no command for it"))
        }
        commands.host.send(remote) { [self] status in
            refresh { done(self.refusal(status)) }
        }
    }

    /// The remote command to send; nil if the process has none for it.
    private func remoteCommand(_ command: MediaPlayerCommand) -> MPRemoteCommandCenter.Command? {
        switch command {
        case .player(.resume) where !commands.playCommand.isSupported: .player(.toggle)
        case .player(.pause) where !commands.pauseCommand.isSupported: .player(.toggle)
        case .player(.stop) where !commands.stopCommand.isSupported: .player(.pause)
        case .player(let command): .player(command)
        case .seek(let offset):
            .changePlaybackPosition(
                max(0, (nowPlaying.host.elapsedPlaybackTime ?? 0) + Double(offset) / 1e6))
        case .setPosition(let position): .changePlaybackPosition(Double(position) / 1e6)
        case .setRate(let rate): .changePlaybackRate(Float(rate))
        case .setLoopStatus(let status): .changeRepeatMode(status.type)
        case .setShuffled(let isShuffled): .changeShuffleMode(isShuffled ? .items : .off)
        case .quit, .open, .setVolume, .addTrack, .removeTrack, .goTo, .activatePlaylist: nil
        }
    }

    private func refusal(_ status: MPRemoteCommandHandlerStatus) -> BusError? {
        let reason =
            switch status {
            case .success: ""
            case .noSuchContent: "There is no such item"
            case .noActionableNowPlayingItem: "Nothing is playing to apply it to"
            case .deviceNotFound: "There is no suitable device"
            case .commandFailed: "\(name) refused it"
            }
        return reason.isEmpty ? nil : BusError(.failed, "cannot do this: \(reason)")
    }
}

extension MediaPlayerState.LoopStatus {
    fileprivate init(_ type: MPRepeatType) {
        switch type {
        case .off: self = .none
        case .one: self = .track
        case .all: self = .playlist
        }
    }

    fileprivate var type: MPRepeatType {
        switch self {
        case .none: .off
        case .track: .one
        case .playlist: .all
        }
    }
}

extension NowPlayingInfo {
    fileprivate func text(_ key: String) -> String? {
        (values?[key] as? String).flatMap { $0.isEmpty ? nil : $0 }
    }

    fileprivate func list(_ key: String) -> [String] { text(key).map { [$0] } ?? [] }

    fileprivate func count(_ key: String) -> Int32? { number(key).flatMap { Int32(exactly: $0) } }

    fileprivate var url: String? {
        let keys = [MPNowPlayingInfoPropertyAssetURL, MPMediaItemPropertyAssetURL]
        return keys.lazy.compactMap { values?[$0] as? URL }.first?.absoluteString
    }
}
