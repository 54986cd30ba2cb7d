import Playback

/// What of loudness and speed is not as usual, in a word each: a user who wonders why nothing is
/// heard looks at the line first.
enum SoundMarks {
    /// What is said of a device that lets nothing be heard.
    static let deviceSilent = "device muted"

    /// `muted`, `vol 0`, `1.1×`; none where it is as usual. The volume is in percent.
    static func marks(volume: Double, isMuted: Bool, rate: Double) -> [String] {
        var marks: [String] = []
        if isMuted { marks.append("muted") }
        if numberText(volume) == "0" { marks.append("vol 0") }
        if numberText(rate) != "1" { marks.append("\(numberText(rate))×") }
        return marks
    }
}
