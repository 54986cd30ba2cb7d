import Control
import Playback

/// Formats times.
enum ClockText {
    /// `4:05`, or `1:04:05` from an hour on. Fractions of a second are dropped.
    static func text(_ seconds: Double) -> String { clockText(seconds) }

    /// `4:05`.
    static func text(_ time: WireTime) -> String { text(time.seconds) }

    /// A duration: `0.3 s`, `12 s`, `3 min 5 s`, `2 h 4 min`.
    static func span(nanoseconds: Int64) -> String {
        let tenths = max(nanoseconds, 0) / 100_000_000
        let seconds = tenths / 10
        switch seconds {
        case ..<10: return "\(seconds).\(tenths % 10) s"
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
