import UndersongPlayback

/// The modes of a player in MPD's terms, in which one song repeats when both `repeat` and `single`
/// are on.
struct MPDModes: Equatable {
    /// Whether the player stops after each song.
    enum Single: String {
        case off = "0"
        case on = "1"
        case oneshot
    }

    var repeats: Bool
    var single: Single

    init(repeats: Bool, single: Single) {
        self.repeats = repeats
        self.single = single
    }

    init(_ modes: PlaybackModes) {
        repeats = modes.repeatMode != .off
        single =
            if modes.stopCondition == .item {
                .oneshot
            } else {
                modes.isSingle || modes.repeatMode == .one ? .on : .off
            }
    }

    /// The part that repeats.
    var repeatMode: RepeatMode { repeats ? single == .on ? .one : .all : .off }
    /// True if the player stops after each item.
    var isSingle: Bool { single == .on && !repeats }
    /// The end after which playback stops once.
    var stopCondition: StopCondition? { single == .oneshot ? .item : nil }

    /// The position of the song that follows the current one; nil if none does.
    func next(after current: Int?, count: Int) -> Int? {
        guard let current else { return nil }
        if repeats, single != .off { return current }
        if current + 1 < count { return current + 1 }
        return repeats ? 0 : nil
    }
}
