import UndersongPlayback

/// Divides the wanted loudness between the stream's volume and the samples.
extension OutputLoop where Output: ~Copyable {
    /// The milliseconds, by the last reading, since which a ramp must have ended to count as heard.
    private static var settlingMilliseconds: Int { 20 }

    /// Applies the wanted loudness, including the stream's part of it.
    mutating func followLoudness() throws(OutputError) {
        if control.loudnessChange != seenLoudness { return try turnLoudness() }
        guard let lastReading = stretch?.lastReading else { return }
        if let frame = loudness.settlingFrame {
            let margin = format.frames(milliseconds: Self.settlingMilliseconds)
            if lastReading.heard >= Double(frame + margin) { try commitLoudness(after: frame) }
        } else if !loudness.isKnown {
            try learnStreamVolume(isAsked: false)
            // A new stream begins with the volume that the server remembers, but the wanted one
            // takes precedence.
            if loudness.needsTurn(to: loudness.wanted) {
                loudness.invalidate()
                try turnLoudness()
            }
        }
    }

    /// Makes a new loudness heard at once, without a gap.
    private mutating func turnLoudness() throws(OutputError) {
        seenLoudness = control.loudnessChange
        let wanted = control.loudness
        guard stretch != nil else { return try applyLoudnessInSilence() }
        // An unchanged value may have been changed on the server in between.
        if wanted == loudness.wanted { loudness.invalidate() }
        // Another program may have set the stream's volume, and the wanted loudness may only repeat
        // that.
        if loudness.asksStream(for: wanted) { try learnStreamVolume(isAsked: true) }
        guard loudness.needsTurn(to: wanted) else { return loudness.note(wanted) }
        try flush(continuing: true)
        let change = loudness.turn(
            to: wanted, at: frames.position,
            length: format.frames(milliseconds: VolumeRamp.milliseconds))
        try setStreamVolume(change)
    }

    /// Sets the stream's volume after a ramp that ended at `frame` and was heard.
    private mutating func commitLoudness(after frame: Int) throws(OutputError) {
        if !loudness.isSilent { try flush(continuing: true) }
        guard frames.position >= frame else { return }
        try setStreamVolume(loudness.commit())
    }

    mutating func applyLoudnessInSilence() throws(OutputError) {
        seenLoudness = control.loudnessChange
        try setStreamVolume(loudness.begin(control.loudness))
    }

    private mutating func setStreamVolume(_ change: StreamVolume.Change?) throws(OutputError) {
        guard let change, output != nil else { return }
        report(.settingVolume(change))
        let isDone = try call { output throws(OutputError) in
            try output?.setStreamVolume(change) ?? false
        }
        if !isDone { loudness.invalidate() }
    }

    mutating func learnStreamVolume(isAsked: Bool) throws(OutputError) {
        guard let volume = try output?.streamVolume(isAsked: isAsked) ?? nil else { return }
        loudness.apply(volume)
        control.setShares(volume: volume.isSettable, mute: true)
    }

    mutating func forgetStreamVolume() {
        loudness.forgetStream()
        control.setShares(volume: false, mute: false)
    }
}
