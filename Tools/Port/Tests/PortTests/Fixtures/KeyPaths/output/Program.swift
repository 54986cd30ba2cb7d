import AVFoundation

/// Plays the file named as the last argument, and prints what its observer has seen. The argument
/// before it chooses what runs the main queue.
@MainActor
public func portedKeyPaths(_ arguments: [String]) -> Any {
    let player = AVPlayer(url: URL(fileURLWithPath: arguments[1]))
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
    if arguments[0] == "dispatchMain" { dispatchMain() }
    return token
}
