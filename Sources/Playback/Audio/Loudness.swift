/// How loud a player is wanted to be: the volume that its user has set, and what else counts.
package struct Loudness: Equatable, Sendable {
    /// The user's volume, 0 to 1, which the stream's volume on the sound server follows.
    package var volume: Float
    /// By what the sound is scaled besides, 0 to 1: only its samples tell.
    package var gain: Float
    /// Whether it is silent whatever the volume.
    package var isMuted: Bool

    package init(volume: Float = 1, gain: Float = 1, isMuted: Bool = false) {
        self.volume = volume
        self.gain = gain
        self.isMuted = isMuted
    }
}

/// The volume that a stream has on its sound server, where a mixer shows and changes it.
package struct StreamVolume: Equatable, Sendable {
    /// By what the server scales samples: 0 to 1 and, amplified, above.
    package var factor: Float
    /// Whether the server silences the stream.
    package var isMuted: Bool
    /// Whether `factor` is this stream's alone, and may be set.
    package var isSettable: Bool

    package init(factor: Float = 1, isMuted: Bool = false, isSettable: Bool = true) {
        self.factor = factor
        self.isMuted = isMuted
        self.isSettable = isSettable
    }

    /// What of a stream's volume is to be set; nil: it stays.
    package struct Change: Equatable, Sendable {
        package var factor: Float?
        package var isMuted: Bool?

        package init(factor: Float? = nil, isMuted: Bool? = nil) {
            self.factor = factor
            self.isMuted = isMuted
        }
    }
}
