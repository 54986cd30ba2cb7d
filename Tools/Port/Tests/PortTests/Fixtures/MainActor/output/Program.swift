import AVFoundation
import Combine

/// Plays the file named as the argument.
@MainActor
public func portedMainActor(_ arguments: [String]) -> Any {
    let model = ViewModel()
    let token = model.$isPlaying.dropFirst().sink { isPlaying in
        print(isPlaying ? "playing" : "ended")
        if !isPlaying { exit(0) }
    }
    let url = URL(fileURLWithPath: arguments[0])
    model.player.replaceCurrentItem(with: AVPlayerItem(url: url))
    model.player.play()
    return [model, token]
}
