import Playback

/// Unusual volume and rate, in a word each: a user who hears nothing looks at the line first.
enum SoundMarks {
    /// The mark for a device that is muted or at volume 0.
    static let deviceSilent = "device muted"

    /// `muted`, `vol 0`, `1.1×`; empty if nothing is unusual. The volume is in percent.
    static func marks(volume: Double, isMuted: Bool, rate: Double) -> [String] {
        var marks: [String] = []
        if isMuted { marks.append("muted") }
        if numberText(volume) == "0" { marks.append("vol 0") }
        if numberText(rate) != "1" { marks.append("\(numberText(rate))×") }
        return marks
    }
}
