import AVFoundation
import Synchronization
import TestSupport
import Testing
import UndersongLinuxPlatform

@testable import UndersongMediaPlayer

/// A process that is Now Playing, as `busctl` has it, on a bus of the test's own.
@Suite(.blockingThreads, .serialized) struct `A program on the desktop` {
    private let bus: MessageBus
    private let center: MPRemoteCommandCenter
    private let info = MPNowPlayingInfoCenter { 100 }
    private let session: AVAudioSession
    private let player: DesktopPlayer

    init() throws {
        bus = try MessageBus()
        try bus.start()
        center = MPRemoteCommandCenter(nowPlaying: info)
        let session = AVAudioSession(center: NotificationCenter())
        self.session = session
        try session.setCategory(.playback)
        try session.setActive(true)
        player = DesktopPlayer(
            center, session: session, name: "my player", address: .at(bus.address),
            artworkFolder: bus.folder.path + "/artwork")
    }

    @Test func `A program is on the desktop as soon as it answers a command`() throws {
        defer { player.stop() }
        player.follow()
        info.nowPlayingInfo = [MPMediaItemPropertyTitle: "Slack Water"]
        #expect(try bus.names() == [])

        center.playCommand.addTarget { _ in .success }

        try waitUntil { try bus.names() == ["org.mpris.MediaPlayer2.my_player"] }
        #expect(try bus.property("CanPlay") == "b true")
        #expect(try bus.property("CanPause") == "b false")
        #expect(try bus.property("Metadata").contains("\"xesam:title\" s \"Slack Water\""))
    }

    @Test func `A program on the desktop shows what it says of itself`() throws {
        defer { player.stop() }
        player.follow()
        center.togglePlayPauseCommand.addTarget { _ in .success }
        try waitUntil { try !bus.names().isEmpty }

        info.nowPlayingInfo = [
            MPMediaItemPropertyTitle: "Slack Water", MPMediaItemPropertyArtist: "Undersong",
            MPMediaItemPropertyPlaybackDuration: 30, MPMediaItemPropertyAlbumTrackNumber: 2,
            MPNowPlayingInfoPropertyElapsedPlaybackTime: 12.5,
            MPNowPlayingInfoPropertyPlaybackRate: 0.0,
        ]

        try waitUntil { try bus.property("PlaybackStatus") == "s \"Paused\"" }
        #expect(try bus.property("Position") == "x 12500000")
        let metadata = try bus.property("Metadata")
        for text in ["xesam:artist\" as 1 \"Undersong\"", "x 30000000", "xesam:trackNumber\" i 2"] {
            #expect(metadata.contains(text))
        }
    }

    @Test func `A program on the desktop plays while its players do, unless it says otherwise`()
        throws
    {
        defer { player.stop() }
        let sound = Sound()
        session.addClient(sound)
        player.follow()
        center.playCommand.addTarget { _ in .success }
        info.nowPlayingInfo = [
            MPMediaItemPropertyTitle: "Slack Water", MPNowPlayingInfoPropertyPlaybackRate: 1.0,
        ]
        try waitUntil { try !bus.names().isEmpty }
        try waitUntil { try bus.property("PlaybackStatus") == "s \"Playing\"" }

        sound.play(false)
        session.clientsChanged()
        try waitUntil { try bus.property("PlaybackStatus") == "s \"Paused\"" }
        info.playbackState = .playing
        try waitUntil { try bus.property("PlaybackStatus") == "s \"Playing\"" }
    }

    @Test func `A program on the desktop gets commands, and answers as its handlers do`() throws {
        defer { player.stop() }
        let positions = Mutex<[Double]>([])
        player.follow()
        center.togglePlayPauseCommand.addTarget { _ in .success }
        center.nextTrackCommand.addTarget { _ in .noSuchContent }
        center.changePlaybackPositionCommand.addTarget { event in
            let position = (event as? MPChangePlaybackPositionCommandEvent)?.positionTime
            positions.withLock { $0.append(position ?? -1) }
            return .success
        }
        info.nowPlayingInfo = [MPMediaItemPropertyPlaybackDuration: 30]
        try waitUntil { try !bus.names().isEmpty }

        #expect(try bus.call("PlayPause") == "")
        #expect(try bus.call("Next").contains("There is no such item"))
        #expect(
            try bus.call("SetPosition", "ox", "/org/undersong/nowplaying/1", "2500000") == "")
        #expect(positions.withLock { $0 } == [2.5])
        #expect(
            try bus.call("OpenUri", "s", "file:///a").contains("has no command for it"))
    }
}

/// A player that plays until it is stopped.
private final class Sound: AVAudioSessionClient {
    private let isPlaying = Mutex(true)

    var isRunningIO: Bool { isPlaying.withLock(\.self) }

    func play(_ isPlaying: Bool) { self.isPlaying.withLock { $0 = isPlaying } }

    func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {}
}

@Suite struct `The time of an item whose program reports no state` {
    @Test func `The time of an item without a playback state stops while the players are silent`() {
        let time = Mutex(100.0)
        let center = MPNowPlayingInfoCenter { time.withLock(\.self) }
        center.nowPlayingInfo = [MPNowPlayingInfoPropertyElapsedPlaybackTime: 10.0]

        center.setSounding(true)
        time.withLock { $0 += 5 }
        center.setSounding(false)
        time.withLock { $0 += 50 }
        let (paused, rate) = (center.host.elapsedPlaybackTime, center.host.playbackRate)
        center.setSounding(nil)
        center.setSounding(true)
        time.withLock { $0 += 1 }

        #expect(paused == 15 && rate == 0)
        #expect(center.host.elapsedPlaybackTime == 16 && center.host.playbackRate == 1)
    }
}
