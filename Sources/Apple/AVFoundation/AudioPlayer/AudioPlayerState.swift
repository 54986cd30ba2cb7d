import UndersongBackground
import UndersongPlayback

/// An `AVAudioPlayer`'s state as its user sees it, and what the engine has been given.
///
/// The engine's queue contains the sound once for each repetition still to be heard, up to some
/// seconds ahead, so that they follow each other without a gap.
struct AudioPlayerState {
    var isPlaying = false
    /// The items given to the engine and not yet heard to their end, in order; empty if the player
    /// is not prepared.
    var items: [ItemID] = []
    /// True if the first of them was heard to its end.
    var hasEnded = false
    /// True if the sound server has gone, or there is no sound.
    var isOver = false
    var lastNumber = 0
    /// The position while the engine does not report one.
    var place = SoughtPlace()
    var seeks = 0
    /// The position that was heard when the player was paused; nil while it plays, and after a seek.
    var pausedTime: CMTime?
    /// The number of times that the sound has started over.
    var loopsHeard = 0
    var numberOfLoops = 0
    /// The reason why the sound cannot be decoded to its end.
    var failure: AVError?

    var volume: Float = 1
    /// The factor on the volume while the session is ducked.
    var gain: Float = 1
    var pan: Float = 0
    var rate: Float = 1
    var enableRate = false
    var interruption = PlaybackInterruption()
    /// Counts the calls that invalidate a scheduled start or a running fade.
    var starts = 0
    var fades = 0

    /// The rate at which the sound is played.
    var effectiveRate: Float { enableRate ? min(max(rate, 0.5), 2) : 1 }

    /// The number of items to add after the first so that there are `ahead` at most; negative if
    /// there are too many.
    func missing(ahead: Int) -> Int {
        if failure != nil { return 1 - items.count }
        let queued = items.count - 1
        guard numberOfLoops >= 0 else { return max(0, ahead - queued) }
        let wanted = max(0, numberOfLoops - loopsHeard)
        return wanted < queued ? wanted - queued : max(0, min(wanted, ahead) - queued)
    }

    mutating func makeID() -> ItemID {
        lastNumber += 1
        return ItemID(lastNumber)
    }

    /// Forgets the items given to the engine. The sound will continue at `place`.
    mutating func rest(at place: CMTime) {
        isPlaying = false
        pausedTime = nil
        items = []
        hasEnded = false
        self.place.go(to: place)
        loopsHeard = 0
        failure = nil
        starts += 1
    }
}
