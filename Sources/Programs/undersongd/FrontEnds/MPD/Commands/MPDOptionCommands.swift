import UndersongPlayback

/// The commands for the volume and the modes.
extension MPDCommand {
    static let options = [
        MPDCommand("consume", since: Version(15), .player, 1...1) { frontEnd, _, arguments, _ in
            let consumes = try arguments.flag(0)
            try await frontEnd.set { $0.consume = consumes }
        },
        MPDCommand("crossfade", .player, 1...1) { frontEnd, _, arguments, _ in
            let seconds = try arguments.unsigned(0)
            try await frontEnd.set { $0.crossfade = min(Double(seconds), 12) }
        },
        MPDCommand("getvol", since: Version(23), .read, 0...0) { frontEnd, _, _, reply in
            reply.add("volume", await frontEnd.player.settings.volumePercent)
        },
        // Songs are never mixed by their loudness: as where MPD knows no MixRamp of them.
        MPDCommand("mixrampdb", since: Version(17), .player, 1...1) { _, _, arguments, _ in
            _ = try arguments.float(0, isFinite: false)
        },
        MPDCommand("mixrampdelay", since: Version(17), .player, 1...1) { _, _, arguments, _ in
            _ = try arguments.float(0, isFinite: false)
        },
        MPDCommand("random", .player, 1...1) { frontEnd, _, arguments, _ in
            let isRandom = try arguments.flag(0)
            try await frontEnd.set { $0.shuffle = isRandom }
            frontEnd.queueIsStale = true
        },
        MPDCommand("repeat", .player, 1...1) { frontEnd, _, arguments, _ in
            let repeats = try arguments.flag(0)
            try await frontEnd.setModes { $0.repeats = repeats }
        },
        MPDCommand("replay_gain_mode", since: Version(16), .player, 1...1) {
            frontEnd, _, arguments, _ in
            try await frontEnd.setReplayGain(arguments[0])
        },
        MPDCommand("replay_gain_status", since: Version(16), .read, 0...0) {
            frontEnd, _, _, reply in
            reply.add("replay_gain_mode", await frontEnd.player.settings.replayGain.rawValue)
        },
        MPDCommand("setvol", .player, 1...1) { frontEnd, _, arguments, _ in
            try await frontEnd.setVolume(arguments.unsigned(0, most: 100))
        },
        MPDCommand("single", since: Version(15), .player, 1...1) { frontEnd, _, arguments, _ in
            guard let single = MPDModes.Single(rawValue: arguments[0]) else {
                throw MPDError(
                    .argument, "Unrecognized single mode, expected 0, 1, or oneshot")
            }
            try await frontEnd.setModes { $0.single = single }
        },
        MPDCommand("volume", .player, 1...1) { frontEnd, _, arguments, _ in
            let change = try arguments.integer(0, in: -100...100)
            let volume = await frontEnd.player.settings.volumePercent + change
            try await frontEnd.setVolume(min(max(volume, 0), 100))
        },
    ]
}

extension MPDFrontEnd {
    fileprivate func set(_ change: (inout SettingsChange) -> Void) async throws {
        var settings = SettingsChange()
        change(&settings)
        _ = try await player.set(settings)
    }

    fileprivate func setVolume(_ percent: Int) async throws {
        try await set { change in
            change.volume = Double(percent)
            if percent > 0 { change.muted = false }
        }
    }

    fileprivate func setModes(_ change: (inout MPDModes) -> Void) async throws {
        let old = MPDModes(await player.settings.modes)
        var modes = old
        change(&modes)
        guard modes != old else { return }
        try await set { settings in
            settings.repeat = modes.repeatMode
            settings.single = modes.isSingle
        }
        if modes.stopCondition != old.stopCondition {
            try await player.stop(after: modes.stopCondition)
        }
    }

    fileprivate func setReplayGain(_ mode: String) async throws {
        let isShuffled = await player.settings.modes.isShuffled
        let mode: ReplayGainMode? =
            mode == "auto" ? isShuffled ? .track : .album : ReplayGainMode(rawValue: mode)
        guard let mode else { throw MPDError(.argument, "Unrecognized replay gain mode") }
        try await set { $0.replayGain = mode }
    }
}

extension PlayerSettings {
    /// The volume from 0 to 100; 0 while muted, since MPD has no mute.
    var volumePercent: Int { isMuted ? 0 : Int((volumeLevel * 100).rounded()) }
}
