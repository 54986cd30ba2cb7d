/// Divides the wanted loudness between the stream's volume on the server, which shows the user's
/// volume to a mixer, and the samples, which do the rest. Owned by the output thread.
///
/// The stream's volume changes only while the server holds nothing of the stream, so that every
/// frame is heard with the two factors that belong together: before a ramp if the sound is no
/// louder than the new volume, otherwise after the ramp. So the samples' factor is never above 1.
package struct VolumeController: Equatable, Sendable {
    /// The server rounds volumes; two that are this close are equal.
    private static let tolerance: Float = 1 / 20_000

    /// The wanted loudness, as far as it has been applied.
    package private(set) var wanted: Loudness
    /// The factor for the samples.
    package private(set) var samples: VolumeRamp
    /// The first frame after the ramp, before which everything has to be heard, if the stream's
    /// volume is set then.
    package private(set) var settlingFrame: Int?
    /// The stream's volume, assumed to have no effect until it is known.
    package private(set) var stream = StreamVolume(isSettable: false)
    /// True if the stream reported its volume, or confirmed the one that was set.
    package private(set) var isKnown = false

    /// Starts without a stream: the samples carry everything.
    package init(_ wanted: Loudness) {
        self.wanted = wanted
        samples = VolumeRamp(wanted.isMuted ? 0 : wanted.volume * wanted.gain)
    }

    /// There is a new stream, or none, so its volume is unknown.
    package mutating func forgetStream() {
        stream = StreamVolume(isSettable: false)
        isKnown = false
        settlingFrame = nil
    }

    /// The stream reports its volume.
    package mutating func apply(_ volume: StreamVolume) {
        stream = volume
        isKnown = true
    }

    /// The stream may not have applied what was last set, so it has to be asked.
    package mutating func invalidate() { isKnown = false }

    /// True if the stream's volume has to be known to turn to `new`.
    package func asksStream(for new: Loudness) -> Bool {
        !isKnown || new.volume != wanted.volume || new.isMuted != wanted.isMuted
    }

    /// True if `new` changes the stream's volume or anything that the server holds.
    package func needsTurn(to new: Loudness) -> Bool {
        if isKnown && difference(from: new) != nil { return true }
        // While the server mutes the stream, any factor will do.
        if new.isMuted && stream.isMuted { return false }
        return factor(for: new) != samples.target
    }

    /// `new` is in effect already: another program set the stream's volume.
    package mutating func note(_ new: Loudness) {
        wanted = new
        settlingFrame = nil
    }

    /// Turns to `new` from `frame` on, the first frame that the server does not hold, within
    /// `length` frames. Returns what to set of the stream's volume before that frame.
    package mutating func turn(
        to new: Loudness, at frame: Int, length: Int
    ) -> StreamVolume.Change? {
        let heard = stream.isMuted ? 0 : stream.factor * samples.factor(at: frame)
        wanted = new
        var change = isKnown ? difference(from: new) : nil
        if heard > new.volume + Self.tolerance { change?.factor = nil }
        if new.isMuted { change?.isMuted = nil }
        apply(change)
        let origin = stream.factor > 0 ? min(1, heard / stream.factor) : 0
        samples = VolumeRamp(origin)
        samples.turn(to: factor(for: new), at: frame, length: length)
        settlingFrame = isKnown && difference(from: new) != nil ? frame + length : nil
        return change?.isEmpty == false ? change : nil
    }

    /// The ramp has been heard. Returns what to set of the stream's volume before the next frame.
    package mutating func commit() -> StreamVolume.Change? {
        settlingFrame = nil
        let change = difference(from: wanted)
        apply(change)
        // A muted session stays silent even if another program unmutes the stream.
        if !wanted.isMuted { samples = VolumeRamp(factor(for: wanted)) }
        return change
    }

    /// True if everything that the server holds after the ramp is silence, which it may keep.
    package var isSilent: Bool { samples.target == 0 }

    /// Applies `new` while nothing is playing. Returns what to set of the stream's volume.
    package mutating func begin(_ new: Loudness) -> StreamVolume.Change? {
        wanted = new
        settlingFrame = nil
        let change = isKnown ? difference(from: new) : nil
        apply(change)
        samples = VolumeRamp(factor(for: new))
        return change
    }

    /// The samples' factor for `new`, apart from the server's mute.
    private func factor(for new: Loudness) -> Float {
        if new.isMuted && !stream.isMuted { return 0 }
        if isSame(new.volume) && stream.isSettable { return new.gain }
        return stream.factor > 0 ? min(1, new.volume * new.gain / stream.factor) : new.gain
    }

    /// The change that makes the stream's volume show `new`; nil if it does already.
    private func difference(from new: Loudness) -> StreamVolume.Change? {
        let change = StreamVolume.Change(
            factor: stream.isSettable && !isSame(new.volume) ? new.volume : nil,
            isMuted: stream.isMuted != new.isMuted ? new.isMuted : nil)
        return change.isEmpty ? nil : change
    }

    /// True if the stream's volume shows `volume`. An amplified one shows the maximum.
    private func isSame(_ volume: Float) -> Bool {
        volume >= 1 && stream.factor >= 1 || abs(stream.factor - volume) <= Self.tolerance
    }

    private mutating func apply(_ change: StreamVolume.Change?) {
        stream.factor = change?.factor ?? stream.factor
        stream.isMuted = change?.isMuted ?? stream.isMuted
    }
}

extension StreamVolume.Change {
    fileprivate var isEmpty: Bool { factor == nil && isMuted == nil }
}
