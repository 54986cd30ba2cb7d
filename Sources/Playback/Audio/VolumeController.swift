/// Divides the wanted loudness between the stream's volume on the server, which shows the user's
/// volume to a mixer, and the samples, which do the rest. Owned by the output thread.
///
/// The stream's volume changes only while the server holds nothing of the stream, so that every frame
/// is heard with the pair of factors that was meant for it: before a ramp where the sound is not
/// louder than the new volume, else behind the ramp. So the samples' factor is never above 1.
package struct VolumeController: Equatable, Sendable {
    /// The server rounds a volume; two that are so near are the same.
    private static let tolerance: Float = 1 / 20_000

    /// What is wanted, as far as it was seen to.
    package private(set) var wanted: Loudness
    /// By what the samples are scaled.
    package private(set) var samples: VolumeRamp
    /// Where the stream's volume follows the ramp: the frame behind it, which has to be heard before.
    package private(set) var settlingFrame: Int?
    /// The stream's volume, which is taken to do nothing until it is known.
    package private(set) var stream = StreamVolume(isSettable: false)
    /// Whether the stream has told its volume, or has taken the one that was set.
    package private(set) var isKnown = false

    /// Begins without a stream: the samples do it all.
    package init(_ wanted: Loudness) {
        self.wanted = wanted
        samples = VolumeRamp(wanted.isMuted ? 0 : wanted.volume * wanted.gain)
    }

    /// There is another stream, or none: nothing is known of its volume.
    package mutating func forgetStream() {
        stream = StreamVolume(isSettable: false)
        isKnown = false
        settlingFrame = nil
    }

    /// The stream's volume is `volume`.
    package mutating func take(_ volume: StreamVolume) {
        stream = volume
        isKnown = true
    }

    /// The stream may not have taken what was set last: it has to be asked.
    package mutating func invalidate() { isKnown = false }

    /// Whether the stream's volume has to be known to turn to `new`.
    package func asksStream(for new: Loudness) -> Bool {
        !isKnown || new.volume != wanted.volume || new.isMuted != wanted.isMuted
    }

    /// Whether anything of what the server holds, or of the stream's volume, changes by `new`.
    package func needsTurn(to new: Loudness) -> Bool {
        if isKnown && difference(from: new) != nil { return true }
        // What the server silences may wait with any factor.
        if new.isMuted && stream.isMuted { return false }
        return factor(for: new) != samples.target
    }

    /// `new` is what there is already: somebody else has set the stream's volume so.
    package mutating func note(_ new: Loudness) {
        wanted = new
        settlingFrame = nil
    }

    /// Goes to `new` from `frame` on, which is the first that the server does not hold, within
    /// `length` frames. Returns what of the stream's volume has to be set before that frame.
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

    /// The ramp is heard. Returns what of the stream's volume has to be set before the next frame.
    package mutating func commit() -> StreamVolume.Change? {
        settlingFrame = nil
        let change = difference(from: wanted)
        apply(change)
        // What is muted stays so when somebody else lets the stream be heard.
        if !wanted.isMuted { samples = VolumeRamp(factor(for: wanted)) }
        return change
    }

    /// Whether all that the server holds behind the ramp is silence, which it may go on to hold.
    package var isSilent: Bool { samples.target == 0 }

    /// Takes `new` where nothing sounds. Returns what of the stream's volume has to be set.
    package mutating func begin(_ new: Loudness) -> StreamVolume.Change? {
        wanted = new
        settlingFrame = nil
        let change = isKnown ? difference(from: new) : nil
        apply(change)
        samples = VolumeRamp(factor(for: new))
        return change
    }

    /// The factor of the samples by which `new` is heard, the server's silence apart.
    private func factor(for new: Loudness) -> Float {
        if new.isMuted && !stream.isMuted { return 0 }
        if isSame(new.volume) && stream.isSettable { return new.gain }
        return stream.factor > 0 ? min(1, new.volume * new.gain / stream.factor) : new.gain
    }

    /// What the stream's volume lacks of showing `new`.
    private func difference(from new: Loudness) -> StreamVolume.Change? {
        let change = StreamVolume.Change(
            factor: stream.isSettable && !isSame(new.volume) ? new.volume : nil,
            isMuted: stream.isMuted != new.isMuted ? new.isMuted : nil)
        return change.isEmpty ? nil : change
    }

    /// Whether the stream's volume shows `volume`. One that a mixer amplifies shows the loudest.
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
