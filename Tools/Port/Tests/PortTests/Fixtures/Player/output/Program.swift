import AVFoundation
import MediaPlayer

/// Plays the file named as the last argument, as a user with a remote control, and prints what the
/// player has been called for. The argument before it chooses what runs the main queue.
@MainActor
public func portedPlayer(_ arguments: [String]) -> Any {
    let player = Player()
    player.player.replaceCurrentItem(
        with: AVPlayerItem(url: URL(fileURLWithPath: arguments[1])))
    NotificationCenter.default.post(
        name: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance())
    player.tick()
    let token = NotificationCenter.default.addObserver(
        forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main
    ) { _ in
        // After all others that are notified.
        DispatchQueue.main.async {
            player.stop()
            NotificationCenter.default.post(
                name: AVAudioSession.interruptionNotification,
                object: AVAudioSession.sharedInstance())
            for entry in Set(player.log).sorted() { print(entry) }
            print("interrupted \(player.log.filter { $0.hasPrefix("interrupted") }.count) time")
            exit(0)
        }
    }
    Task { @MainActor in
        let commands = MPRemoteCommandCenter.shared().host
        let all: [MPRemoteCommandCenter.Command] = [
            .play, .pause, .changePlaybackPosition(2), .play,
        ]
        for command in all { print("\(command): \(await commands.send(command))") }
    }
    if arguments[0] == "dispatchMain" { dispatchMain() }
    return token
}
