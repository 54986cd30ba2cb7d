import Control
import Playback

/// When playing stops by itself, as people read it.
enum SleepText {
    /// `stops in 29:48, falling silent in the last 10 s, or after the item`
    static func line(_ state: SleepState) -> String {
        var parts: [String] = []
        if let remaining = state.remaining { parts.append(time(remaining, state)) }
        if let after = state.after { parts.append("after the \(after)") }
        return parts.isEmpty
            ? "does not stop by itself" : "stops " + parts.joined(separator: ", or ")
    }

    private static func time(_ remaining: Double, _ state: SleepState) -> String {
        // A part of a second that is left is a second to wait for.
        let time = "in \(ClockText.text(remaining.rounded(.up)))"
        if state.fading == true { return time + ", falling silent now" }
        guard let fade = state.fade, fade > 0 else { return time }
        return time + ", falling silent in the last \(numberText(fade)) s"
    }
}
