import AVFoundation
import MediaPlayer

/// Now Playing and remote commands as in an iOS app: plays two files, publishes what is playing, and
/// responds to a lock screen.
@MainActor
func nowPlaying(_ files: [String]) -> Any {
    let model = PlayerModel(urls: files.map { URL(fileURLWithPath: $0) })
    let nowPlaying = NowPlayingController(model: model)
    let remoteCommands = RemoteCommandHandler(model: model)

    do {
        try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
        try AVAudioSession.sharedInstance().setActive(true)
    } catch {
        print("Failed to set up the audio session: \(error.localizedDescription)")
    }

    let lockScreen = LockScreen(model: model)
    Task { await lockScreen.use() }
    model.play()
    return [nowPlaying, remoteCommands]
}
