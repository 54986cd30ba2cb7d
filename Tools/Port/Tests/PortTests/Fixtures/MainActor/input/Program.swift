import AVFoundation
import Combine

// Plays the file named as the argument.
@MainActor enum Program {
    static let model = ViewModel()
    static var token: AnyCancellable?

    static func run() {
        token = model.$isPlaying.dropFirst().sink { isPlaying in
            print(isPlaying ? "playing" : "ended")
            if !isPlaying { exit(0) }
        }
        let url = URL(fileURLWithPath: CommandLine.arguments[1])
        model.player.replaceCurrentItem(with: AVPlayerItem(url: url))
        model.player.play()
    }
}

MainActor.assumeIsolated { Program.run() }
RunLoop.main.run()
