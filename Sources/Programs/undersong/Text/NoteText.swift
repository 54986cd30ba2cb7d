import UndersongBase
import UndersongControl
import UndersongPlayback

/// Formats what a key has just changed.
enum NoteText {
    /// `volume 60 %`, `muted`, `speed 1.1×`, `repeat all`, `shuffle on`; empty for other keys.
    static func text(_ key: Key, _ settings: Settings) -> String {
        switch key {
        case .volume, .mute:
            let volume = "volume \(numberText((settings.volume ?? 100).rounded())) %"
            return settings.muted == true ? volume + ", muted" : volume
        case .rate: return "speed \(numberText(((settings.rate ?? 1) * 100).rounded() / 100))×"
        case .shuffle: return "shuffle " + (settings.shuffle == true ? "on" : "off")
        case .repeatMode: return "repeat \((settings.repeat ?? .off).rawValue)"
        default: return ""
        }
    }
}
