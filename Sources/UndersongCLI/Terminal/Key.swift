import AudioSession
import Glibc
import Playback

/// What a key asks for.
enum Key: Equatable {
    case togglePause
    case next, previous
    /// Seconds to go on, or back.
    case seek(Double)
    /// What the volume changes by.
    case volume(Float)
    case mute
    /// What the rate is multiplied by; nil: back to normal.
    case rate(Double?)
    case shuffle, repeatMode
    case quit

    private static let plain: [Character: Key] = [
        " ": .togglePause, "n": .next, ">": .next, "p": .previous, "<": .previous, "m": .mute,
        "[": .rate(1 / 1.1), "]": .rate(1.1), "=": .rate(nil), "s": .shuffle, "r": .repeatMode,
        "q": .quit,
    ]
    /// The last letter of what an arrow key sends.
    private static let arrows: [Character: Key] = [
        "A": .volume(0.05), "B": .volume(-0.05), "C": .seek(5), "D": .seek(-5),
    ]

    /// The keys in `text`, which a terminal sent.
    static func all(in text: some StringProtocol) -> [Key] {
        var keys: [Key] = []
        var rest = text[...]
        while let first = rest.popFirst() {
            if first == "\u{1B}", let second = rest.first, "[O".contains(second) {
                rest.removeFirst()
                let end = rest.firstIndex(where: \.isLetter)
                if let end, let key = arrows[rest[end]] { keys.append(key) }
                rest = end.map { rest[rest.index(after: $0)...] } ?? ""
            } else if let key = plain[first] {
                keys.append(key)
            }
        }
        return keys
    }
}

extension QueuePlayer {
    /// Does what a key asks for.
    func press(_ key: Key) async {
        switch key {
        case .togglePause: await togglePause()
        case .next: await advanceToNextItem()
        case .previous: await returnToPreviousItem()
        case .seek(let seconds): await seek(by: seconds)
        case .volume(let change): await set { $0.volume += change }
        case .mute: await set { $0.isMuted.toggle() }
        case .rate(let factor?): await set { $0.rate *= factor }
        case .rate(nil): await set { $0.rate = 1 }
        case .shuffle: await set { $0.modes.isShuffled.toggle() }
        case .repeatMode: await set { $0.modes.repeatMode = $0.modes.repeatMode.next }
        case .quit: kill(getpid(), SIGTERM)
        }
    }
}

extension RepeatMode {
    fileprivate var next: RepeatMode {
        switch self {
        case .off: .all
        case .all: .one
        case .one: .off
        }
    }
}
