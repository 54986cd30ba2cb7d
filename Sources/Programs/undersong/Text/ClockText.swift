import Glibc
import UndersongControl
import UndersongPlayback

/// Formats times.
enum ClockText {
    /// `4:05`, or `1:04:05` from an hour on. Fractions of a second are dropped.
    static func text(_ seconds: Double) -> String { clockText(seconds) }

    /// `4:05`.
    static func text(_ time: WireTime) -> String { text(time.seconds) }

    /// `23:15`, in the local time zone. The time is in seconds since 1970.
    static func timeOfDay(_ seconds: Double) -> String { local(seconds, as: "%H:%M") }

    /// A time in seconds since 1970, formatted by `strftime` in the local time zone.
    static func local(_ seconds: Double, as format: String) -> String {
        var time = time_t(min(max(seconds, -6e10), 2.5e11))
        var parts = unsafe tm()
        var text = [CChar](repeating: 0, count: 64)
        unsafe localtime_r(&time, &parts)
        let count = unsafe strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A duration in seconds.
    static func span(_ seconds: Double) -> String {
        span(nanoseconds: Int64(min(max(seconds, 0), 1e9) * 1e9))
    }

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
