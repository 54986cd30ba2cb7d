import Playback

/// How the wanted loudness is shared between the stream's volume and the samples.
extension OutputLoop where Output: ~Copyable {
    /// A ramp that ended so long ago, as the last reading says, is heard for sure.
    private static var settlingMilliseconds: Int { 20 }

    /// Sees to what is wanted, and to what the stream's volume has to do with it.
    mutating func followLoudness() throws(OutputError) {
        if control.loudnessChange != seenLoudness { return try turnLoudness() }
        guard let lastReading = stretch?.lastReading else { return }
        if let frame = loudness.settlingFrame {
            let margin = format.frames(milliseconds: Self.settlingMilliseconds)
            if lastReading.heard >= Double(frame + margin) { try commitLoudness(behind: frame) }
        } else if !loudness.isKnown {
            try learnStreamVolume(isAsked: false)
            // A new stream begins with the server's memory, and what is wanted here counts.
            if loudness.needsTurn(to: loudness.wanted) {
                loudness.invalidate()
                try turnLoudness()
            }
        }
    }

    /// Lets a new loudness be heard at once, without a gap.
    private mutating func turnLoudness() throws(OutputError) {
        seenLoudness = control.loudnessChange
        let wanted = control.loudness
        guard stretch != nil else { return try takeLoudnessInSilence() }
        // What is as it was may have been otherwise, on the server, in between.
        if wanted == loudness.wanted { loudness.invalidate() }
        // Another may have set the stream's volume, and what is wanted says only that.
        if loudness.asksStream(for: wanted) { try learnStreamVolume(isAsked: true) }
        guard loudness.needsTurn(to: wanted) else { return loudness.note(wanted) }
        try flush(toGoOn: true)
        let change = loudness.turn(
            to: wanted, at: frames.position,
            length: format.frames(milliseconds: VolumeRamp.milliseconds))
        try setStreamVolume(change)
    }

    /// Lets the stream's volume follow a ramp that ended at `frame` and was heard.
    private mutating func commitLoudness(behind frame: Int) throws(OutputError) {
        if !loudness.isSilent { try flush(toGoOn: true) }
        guard frames.position >= frame else { return }
        try setStreamVolume(loudness.commit())
    }

    mutating func takeLoudnessInSilence() throws(OutputError) {
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
        loudness.take(volume)
        control.setShares(volume: volume.isSettable, mute: true)
    }

    mutating func forgetStreamVolume() {
        loudness.forgetStream()
        control.setShares(volume: false, mute: false)
    }
}
