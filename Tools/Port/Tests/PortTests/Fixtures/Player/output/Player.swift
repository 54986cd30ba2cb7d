import AVFoundation
import MediaPlayer
import UIKit

/// A player as many apps have it.
class Player: NSObject {
    private let observerTokens = ObserverTokens()
    let player = AVPlayer()
    private(set) var log: [String] = []
    private var timer: Timer?
    private var nowPlaying: Notification.Name { .AVPlayerItemDidPlayToEndTime }

    override init() {
        super.init()
        let center = NotificationCenter.default
        self.observerTokens.observe(center, nowPlaying, object: nil) { [weak self] _ in
            self?.itemEnded()
        }
        self.observerTokens.observe(NotificationCenter.default, AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance()) { [weak self] notification in
            self?.interrupted(notification)
        }
        self.observerTokens.observe(NotificationCenter.default, UIApplication.didEnterBackgroundNotification, object: nil) { [weak self] notification in
            self?.wentAway(note: notification)
        }
        setCommands()
    }

    deinit {
        self.observerTokens.stopObserving(NotificationCenter.default)
    }

    func setCommands() {
        #if (os(iOS) || os(Linux)) || os(tvOS)
        log.append("for iOS")
        #endif
        #if !(os(iOS) || os(Linux))
        log.append("not for iOS")
        #endif
        let commands = MPRemoteCommandCenter.shared()
        self.observerTokens.addTarget(to: commands.playCommand) { [weak self] _ in
            return self?.play() ?? .commandFailed
        }
        self.observerTokens.addTarget(to: commands.pauseCommand) { [weak self] event in
            self?.pause(event)
            return .success
        }
        self.observerTokens.addTarget(to: commands.changePlaybackPositionCommand) { [weak self] event in
            guard let event = event as? MPChangePlaybackPositionCommandEvent else { return .commandFailed }
            return self?.seek(event) ?? .commandFailed
        }
    }

    func tick() {
        timer = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { [weak self] timer in
            self?.ticked(timer)
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { [weak self] in
            self?.later()
        }
    }

    func stop() {
        timer?.invalidate()
        self.observerTokens.stopObserving(NotificationCenter.default, AVAudioSession.interruptionNotification, object: nil)
        self.observerTokens.removeTargets(from: MPRemoteCommandCenter.shared().playCommand)
    }

    // Both arrive on the main queue.
    fileprivate func itemEnded() { log.append("ended") }
    private func interrupted(_ notification: Notification) {
        log.append("interrupted \(notification.userInfo?.count ?? 0)")
    }

    func play() -> MPRemoteCommandHandlerStatus {
        player.play()
        return .success
    }
    func pause(_ event: MPRemoteCommandEvent) {
        player.pause()
    }
    func seek(_ event: MPChangePlaybackPositionCommandEvent) -> MPRemoteCommandHandlerStatus {
        log.append("seek \(event.positionTime)")
        return .success
    }
    func ticked(_ timer: Timer) { log.append("tick") }
    func later() { log.append("later") }
}

