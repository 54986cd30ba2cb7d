import Background
import Playback

/// An `AVAudioPlayer` as its user sees it, and what it has given to the engine.
///
/// The engine's queue holds the sound once for each time that it is still to be heard, up to some
/// seconds ahead, so that one time follows the other without a gap.
struct AudioPlayerState {
    var isPlaying = false
    /// What the engine has been given and was not heard to its end, in order; empty when it is not
    /// prepared.
    var items: [ItemID] = []
    /// Whether the first of them was heard to its end.
    var hasEnded = false
    /// Whether the sound server is gone.
    var isOver = false
    var lastNumber = 0
    /// Where the sound is, or begins, when the engine does not say it.
    var place = SoughtPlace()
    var seeks = 0
    /// How often the sound has begun again.
    var loopsHeard = 0
    var numberOfLoops = 0
    /// Why the sound cannot be decoded to its end.
    var failure: AVError?

    var volume: Float = 1
    /// What the audio session leaves of the volume while others speak.
    var gain: Float = 1
    var pan: Float = 0
    var rate: Float = 1
    var enableRate = false
    var interruption = PlaybackInterruption()
    /// Counts what makes a start or a fade that waits come to nothing.
    var starts = 0
    var fades = 0

    /// The rate that is heard.
    var effectiveRate: Float { enableRate ? min(max(rate, 0.5), 2) : 1 }

    /// How many items are to be given behind the first one, when there are to be `ahead` at most;
    /// negative when there are too many.
    func missing(ahead: Int) -> Int {
        if failure != nil { return 1 - items.count }
        let behind = items.count - 1
        guard numberOfLoops >= 0 else { return max(0, ahead - behind) }
        let wanted = max(0, numberOfLoops - loopsHeard)
        return wanted < behind ? wanted - behind : max(0, min(wanted, ahead) - behind)
    }

    mutating func makeID() -> ItemID {
        lastNumber += 1
        return ItemID(lastNumber)
    }

    /// Forgets what was given to the engine. The sound will go on at `place`.
    mutating func rest(at place: CMTime) {
        isPlaying = false
        items = []
        hasEnded = false
        self.place.go(to: place)
        loopsHeard = 0
        failure = nil
        starts += 1
    }
}
