import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Formats the state of the sleep timer.
enum SleepText {
    /// `sleep timer: 29:48 left, with a 10 s fade-out; will stop after this item`
    static func line(_ state: SleepReport) -> String {
        let parts = [
            state.remaining.map { timer($0, state) }, state.after.map { stop(after: $0) },
        ].compactMap { $0 }
        return parts.isEmpty ? "no sleep timer" : parts.joined(separator: "; ")
    }

    /// `will stop after this item`
    static func stop(after: StopCondition) -> String {
        switch after {
        case .item: "will stop after this item"
        case .queue: "will stop after the queue"
        case .chapter: "will stop after this chapter"
        }
    }

    /// Where playback stops once; without a place, that there is none, and the timer if it runs.
    static func stop(_ state: SleepReport) -> String {
        guard state.after == nil else { return line(state) }
        return "stop-after off" + (state.remaining.map { "; " + timer($0, state) } ?? "")
    }

    private static func timer(_ remaining: Double, _ state: SleepReport) -> String {
        // A fraction of a second still has to be waited for, so it is rounded up.
        let time = "sleep timer: \(ClockText.text(remaining.rounded(.up))) left"
        if state.fading == true { return time + ", fading out" }
        guard let fade = state.fade, fade > 0 else { return time }
        return time + ", with a \(numberText(fade)) s fade-out"
    }
}
