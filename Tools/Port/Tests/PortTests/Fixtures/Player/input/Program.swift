import AVFoundation
import MediaPlayer

// Plays the file named as the argument, as a user with a remote control, and prints what the player
// has been called for. An argument before it chooses what runs the main queue.
let player = Player()
player.player.replaceCurrentItem(
    with: AVPlayerItem(url: URL(fileURLWithPath: CommandLine.arguments[2])))
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
            name: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance())
        for entry in Set(player.log).sorted() { print(entry) }
        print("interrupted \(player.log.filter { $0.hasPrefix("interrupted") }.count) time")
        exit(0)
    }
}
Task { @MainActor in
    let commands = MPRemoteCommandCenter.shared().host
    for command: MPRemoteCommandCenter.Command in [.play, .pause, .changePlaybackPosition(2), .play] {
        print("\(command): \(await commands.send(command))")
    }
}
if CommandLine.arguments[1] == "dispatchMain" { dispatchMain() }
RunLoop.main.run()
