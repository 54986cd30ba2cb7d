import AVFoundation

// Plays the file named as the last argument, and prints what its observer has seen.
let player = AVPlayer(url: URL(fileURLWithPath: CommandLine.arguments[2]))
let observer = Observer(player: player)
let token = NotificationCenter.default.addObserver(
    forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main
) { _ in
    DispatchQueue.main.async {
        observer.stop()
        player.rate = 0.5
        for change in observer.changes { print(change) }
        exit(0)
    }
}
observer.watch(["volume", "currentItem.playbackBufferEmpty"])
player.volume = 0.5
player.play()
if CommandLine.arguments[1] == "dispatchMain" { dispatchMain() }
RunLoop.main.run()
