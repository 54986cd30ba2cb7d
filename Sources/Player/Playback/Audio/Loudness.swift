/// The requested loudness of a player: the volume set by the user, and other factors.
package struct Loudness: Equatable, Sendable {
    /// The user's volume, 0 to 1, which becomes the stream's volume on the sound server.
    package var volume: Float
    /// An additional factor, 0 to 1, applied only to the samples.
    package var gain: Float
    /// True if it is muted, whatever the volume.
    package var isMuted: Bool

    package init(volume: Float = 1, gain: Float = 1, isMuted: Bool = false) {
        self.volume = volume
        self.gain = gain
        self.isMuted = isMuted
    }
}

/// A stream's volume on its sound server, where a mixer shows and changes it.
package struct StreamVolume: Equatable, Sendable {
    /// The server's factor for the samples: 0 to 1, or above 1 if amplified.
    package var factor: Float
    /// True if the server mutes the stream.
    package var isMuted: Bool
    /// True if `factor` belongs to this stream alone and may be set.
    package var isSettable: Bool

    package init(factor: Float = 1, isMuted: Bool = false, isSettable: Bool = true) {
        self.factor = factor
        self.isMuted = isMuted
        self.isSettable = isSettable
    }

    /// A change of a stream's volume; nil leaves it as it is.
    package struct Change: Equatable, Sendable {
        package var factor: Float?
        package var isMuted: Bool?

        package init(factor: Float? = nil, isMuted: Bool? = nil) {
            self.factor = factor
            self.isMuted = isMuted
        }
    }
}
