import MediaPlayer

/// Handles the commands of the lock screen and of headsets.
class RemoteCommandHandler {
    private let model: PlayerModel
    private let commandCenter = MPRemoteCommandCenter.shared()

    init(model: PlayerModel) {
        self.model = model
        setupPlaybackCommands()
        setupSeekCommands()
    }

    deinit {
        commandCenter.playCommand.removeTarget(nil)
        commandCenter.pauseCommand.removeTarget(nil)
        commandCenter.nextTrackCommand.removeTarget(nil)
        commandCenter.skipForwardCommand.removeTarget(nil)
        commandCenter.skipBackwardCommand.removeTarget(nil)
        commandCenter.changePlaybackPositionCommand.removeTarget(nil)
    }

    private func setupPlaybackCommands() {
        commandCenter.playCommand.addTarget { [unowned self] _ in
            guard !model.isPlaying else { return .commandFailed }
            model.play()
            return .success
        }
        commandCenter.pauseCommand.addTarget { [unowned self] _ in
            guard model.isPlaying else { return .commandFailed }
            model.pause()
            return .success
        }
        commandCenter.nextTrackCommand.addTarget { [unowned self] _ in
            guard model.player.items().count > 1 else { return .noSuchContent }
            model.next()
            return .success
        }
    }

    private func setupSeekCommands() {
        commandCenter.skipForwardCommand.preferredIntervals = [0.5]
        commandCenter.skipForwardCommand.addTarget { [unowned self] event in
            guard let event = event as? MPSkipIntervalCommandEvent else { return .commandFailed }
            model.skip(by: event.interval)
            return .success
        }
        commandCenter.skipBackwardCommand.preferredIntervals = [0.5]
        commandCenter.skipBackwardCommand.addTarget { [unowned self] event in
            guard let event = event as? MPSkipIntervalCommandEvent else { return .commandFailed }
            model.skip(by: -event.interval)
            return .success
        }
        commandCenter.changePlaybackPositionCommand.addTarget { [unowned self] event in
            guard let event = event as? MPChangePlaybackPositionCommandEvent else {
                return .commandFailed
            }
            model.seek(to: event.positionTime)
            return .success
        }
    }
}
