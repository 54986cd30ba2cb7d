import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

/// A player's state as its user sees it: requests take effect at once, what is heard when it is
/// reported.
struct PlayerState {
    /// An item in the queue, and whether it has started and ended.
    struct Entry {
        let id: ItemID
        let item: AVPlayerItem
        var hasBegun = false
        /// The time at which it has ended; nil before that.
        var end: CMTime?

        var hasEnded: Bool { end != nil }
    }

    /// The sound of the player, as reported last.
    enum Sound {
        case none
        /// It has stopped for want of bytes.
        case stalled
        case playing

        /// Sound has stopped, if there was any, but not for want of bytes.
        mutating func stop() { if self == .playing { self = .none } }
    }

    /// A seek whose completion handler has not been called yet.
    struct PendingSeek {
        let number: Int
        let completion: (@Sendable (Bool) -> Void)?
    }

    /// The number of items that `returnToPreviousItem()` can go back.
    static let historyLength = 256

    /// The current item and those after it.
    var entries: [Entry] = []
    /// Items that were heard or left, the most recent last, for `returnToPreviousItem()`.
    var history: [AVPlayerItem] = []
    /// The item that left the queue last, if it was heard to its end.
    var lastHeard: AVPlayerItem?
    var lastNumber = 0

    var rate: Float = 0
    var defaultRate: Float = 1
    var volume: Float = 1
    /// The factor on the volume while the session is ducked.
    var gain: Float = 1
    var isMuted = false
    var actionAtItemEnd = AVPlayer.ActionAtItemEnd.pause
    var waitsToMinimizeStalling = true

    var status = AVPlayer.Status.unknown
    var error: AVError?
    var sound = Sound.none

    /// The effect of interruptions, and the rate at which to resume after them.
    var interruption = PlaybackInterruption()
    var resumeRate: Float = 1

    var pendingSeek: PendingSeek?
    var seekCount = 0
    var place = SoughtPlace()
    /// The item's end and when it was heard, while the time continues past it.
    var runOn: (time: CMTime, hostTime: Int64)?

    var current: Entry? { entries.first }

    var timeControlStatus: AVPlayer.TimeControlStatus {
        if rate == 0 { return .paused }
        if entries.isEmpty { return .waitingToPlayAtSpecifiedRate }
        return sound == .playing || runOn != nil ? .playing : .waitingToPlayAtSpecifiedRate
    }

    var reasonForWaitingToPlay: AVPlayer.WaitingReason? {
        guard timeControlStatus == .waitingToPlayAtSpecifiedRate else { return nil }
        if entries.isEmpty { return .noItemToPlay }
        return sound == .stalled ? .toMinimizeStalls : .evaluatingBufferingRate
    }

    /// The current item is heard from another place on.
    mutating func began(_ head: PlayerEvent.Head) {
        place.began(at: head.position)
        runOn = nil
        if head.status == .playing { sound = .playing } else { sound.stop() }
    }

    func index(of item: AVPlayerItem) -> Int? { entries.firstIndex { $0.item === item } }
    func index(of id: ItemID) -> Int? { entries.firstIndex { $0.id == id } }

    mutating func makeID() -> ItemID {
        lastNumber += 1
        return ItemID(lastNumber)
    }

    /// Removes an entry. Its item can be added to any player before observers are notified.
    mutating func remove(at index: Int) -> Entry {
        let entry = entries.remove(at: index)
        entry.item.detach()
        lastHeard = entry.hasEnded ? entry.item : nil
        if index == 0 { (place, runOn) = (SoughtPlace(), nil) }
        return entry
    }

    /// Removes the first entries, which were heard, left or skipped.
    mutating func drop(_ count: Int) {
        for _ in 0..<count { history.append(remove(at: 0).item) }
        history.removeFirst(max(0, history.count - Self.historyLength))
    }
}
