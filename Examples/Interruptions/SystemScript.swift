import AVFoundation

/// Simulates the system around the app at given times of its first item. An app on iOS needs none
/// of this.
class SystemScript {
    private let controller: AudioController
    private var tokens: [Any] = []
    private let host = AVAudioSession.sharedInstance().host
    private let speaker = AVAudioSessionPortDescription(
        portType: .builtInSpeaker, portName: "Speaker", uid: "speaker")
    private let headphones = AVAudioSessionPortDescription(
        portType: .headphones, portName: "Headphones", uid: "headphones")

    init(controller: AudioController) {
        self.controller = controller
        at(0.2) { $0.phoneRings() }
        at(0.4) { $0.plugIn() }
        at(0.6) { $0.pullOut() }
    }

    private func at(_ seconds: Double, _ action: @escaping (SystemScript) -> Void) {
        let time = CMTime(seconds: seconds, preferredTimescale: 1000)
        let token = controller.player.addBoundaryTimeObserver(
            forTimes: [NSValue(time: time)], queue: .main
        ) { [unowned self] in
            if controller.player.items().count == 2 { action(self) }
        }
        tokens.append(token)
    }

    /// A call, which ends after a while.
    private func phoneRings() {
        host.beginInterruption()
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { [host] in
            host.endInterruption(shouldResume: true)
        }
    }

    private func plugIn() {
        host.changeRoute(
            to: AVAudioSessionRouteDescription(outputs: [headphones]), reason: .newDeviceAvailable)
    }

    /// Unplugs the headphones: the app pauses; then the user presses play.
    private func pullOut() {
        host.changeRoute(
            to: AVAudioSessionRouteDescription(outputs: [speaker]), reason: .oldDeviceUnavailable)
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { [controller] in
            print("Somebody presses play")
            controller.play()
        }
    }
}
