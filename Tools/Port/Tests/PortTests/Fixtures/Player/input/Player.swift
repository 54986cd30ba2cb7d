import AVFoundation.AVFAudio
import MediaPlayer
import UIKit

/// A player as many apps have it.
@objcMembers
class Player: NSObject {
    let player = AVPlayer()
    private(set) var log: [String] = []
    private var timer: Timer?
    private var nowPlaying: Notification.Name { .AVPlayerItemDidPlayToEndTime }

    override init() {
        super.init()
        let center = NotificationCenter.default
        center.addObserver(
            self, selector: .itemEnded, name: nowPlaying, object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(self.interrupted(_:)),
            name: NSNotification.Name.AVAudioSessionInterruption, object: AVAudioSession.sharedInstance())
        NotificationCenter.default.addObserver(self, selector: #selector(Player.wentAway(note:)), name: UIApplication.didEnterBackgroundNotification, object: nil)
        setCommands()
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
    }

    func setCommands() {
        #if os(iOS) || os(tvOS)
        log.append("for iOS")
        #endif
        #if !os(iOS)
        log.append("not for iOS")
        #endif
        let commands = MPRemoteCommandCenter.shared()
        commands.playCommand.addTarget(self, action: #selector(play))
        commands.pauseCommand.addTarget(self, action: #selector(pause(_:)))
        commands.changePlaybackPositionCommand.addTarget(
            self, action: #selector(seek(_:)))
    }

    func tick() {
        timer = Timer.scheduledTimer(
            timeInterval: 0.1, target: self, selector: #selector(ticked(_:)), userInfo: nil,
            repeats: true)
        perform(#selector(later), with: nil, afterDelay: 0.2)
    }

    func stop() {
        timer?.invalidate()
        NotificationCenter.default.removeObserver(
            self, name: AVAudioSession.interruptionNotification, object: nil)
        MPRemoteCommandCenter.shared().playCommand.removeTarget(self)
    }

    // Both arrive on the main queue.
    @objc fileprivate func itemEnded() { log.append("ended") }
    @objc private func interrupted(_ notification: NSNotification) {
        log.append("interrupted \(notification.userInfo?.count ?? 0)")
    }

    @objc func play() -> MPRemoteCommandHandlerStatus {
        player.play()
        return .success
    }
    @objc func pause(_ event: MPRemoteCommandEvent) {
        player.pause()
    }
    @objc func seek(_ event: MPChangePlaybackPositionCommandEvent) -> MPRemoteCommandHandlerStatus {
        log.append("seek \(event.positionTime)")
        return .success
    }
    @objc func ticked(_ timer: Timer) { log.append("tick") }
    @objc func later() { log.append("later") }
}

private extension Selector {
    static let itemEnded = #selector(Player.itemEnded)
}
