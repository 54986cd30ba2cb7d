import AVFAudio
import Foundation

/// Follows the interruptions and route changes of the app's sound: calls, alarms, headphones.
class SessionObserver {
    private weak var controller: AudioController?
    private var tokens: [NSObjectProtocol] = []

    init(controller: AudioController) {
        self.controller = controller
        let session = AVAudioSession.sharedInstance()
        tokens = [
            NotificationCenter.default.addObserver(
                forName: AVAudioSession.interruptionNotification, object: session, queue: .main
            ) { [weak self] in self?.handleInterruption(notification: $0) },
            NotificationCenter.default.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: session, queue: .main
            ) { [weak self] in self?.handleRouteChange(notification: $0) },
        ]
    }

    deinit {
        tokens.forEach(NotificationCenter.default.removeObserver)
    }

    func handleInterruption(notification: Notification) {
        guard let userInfo = notification.userInfo,
            let typeValue = userInfo[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: typeValue)
        else { return }

        switch type {
        case .began:
            print("Interruption: began")
        case .ended:
            guard let optionsValue = userInfo[AVAudioSessionInterruptionOptionKey] as? UInt else {
                return
            }
            let options = AVAudioSession.InterruptionOptions(rawValue: optionsValue)
            if options.contains(.shouldResume) {
                print("Interruption: ended, should resume")
                controller?.play()
            } else {
                print("Interruption: ended, should not resume")
            }
        @unknown default:
            break
        }
    }

    func handleRouteChange(notification: Notification) {
        guard let userInfo = notification.userInfo,
            let reasonValue = userInfo[AVAudioSessionRouteChangeReasonKey] as? UInt,
            let reason = AVAudioSession.RouteChangeReason(rawValue: reasonValue)
        else { return }

        switch reason {
        case .newDeviceAvailable:
            let session = AVAudioSession.sharedInstance()
            print("Route: new device, headphones: \(hasHeadphones(in: session.currentRoute))")
        case .oldDeviceUnavailable:
            let previousRoute =
                userInfo[AVAudioSessionRouteChangePreviousRouteKey]
                as? AVAudioSessionRouteDescription
            let hadHeadphones = previousRoute.map(hasHeadphones(in:)) ?? false
            print("Route: device gone, had headphones: \(hadHeadphones)")
        default:
            break
        }
    }

    private func hasHeadphones(in routeDescription: AVAudioSessionRouteDescription) -> Bool {
        !routeDescription.outputs.filter { $0.portType == .headphones }.isEmpty
    }
}
