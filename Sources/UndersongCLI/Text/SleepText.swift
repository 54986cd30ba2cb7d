import Control
import Playback

/// Formats the state of the sleep timer.
enum SleepText {
    /// `stops in 29:48, fading out over the last 10 s, or after the item`
    static func line(_ state: SleepState) -> String {
        var parts: [String] = []
        if let remaining = state.remaining { parts.append(time(remaining, state)) }
        if let after = state.after { parts.append("after the \(after)") }
        return parts.isEmpty
            ? "no sleep timer" : "stops " + parts.joined(separator: ", or ")
    }

    /// Where playback stops once; without a place, that there is none, and the timer if it runs.
    static func stop(_ state: SleepState) -> String {
        guard state.after == nil else { return line(state) }
        let timer = state.remaining.map { "; the sleep timer stops " + time($0, state) } ?? ""
        return "no place to stop is set" + timer
    }

    private static func time(_ remaining: Double, _ state: SleepState) -> String {
        // A fraction of a second still has to be waited for, so it is rounded up.
        let time = "in \(ClockText.text(remaining.rounded(.up)))"
        if state.fading == true { return time + ", fading out now" }
        guard let fade = state.fade, fade > 0 else { return time }
        return time + ", fading out over the last \(numberText(fade)) s"
    }
}
