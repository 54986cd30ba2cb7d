import AudioSession
import Control
import Playback

/// When playing stops by itself: the sleep timer is the service's, where it stops behind an item or
/// the queue the player's. Neither knows of the other, but the timer's end is the end of both.
extension ServiceCore {
    /// Seconds in which the sound falls silent unless the user says otherwise.
    private static let standardFade = 10.0

    func sleep(_ call: Sleep) async throws(ControlError) -> SleepState {
        try call.check()
        if call.after == StopCondition.chapter.rawValue, await !hasChapters {
            throw ControlError(
                .notPossible, "cannot stop behind the chapter: The item has no chapters")
        }
        if call != Sleep() { await setSleep(as: call) }
        return sleepState(await session.report) ?? SleepState()
    }

    /// Whether the current item may have chapters: one that was not opened yet may.
    private var hasChapters: Bool {
        get async {
            let report = await session.report
            guard let item = report.current else { return false }
            return report.descriptions[item.id]?.chapters.isEmpty != true
        }
    }

    /// Takes over what a client says, which was checked; without anything all stays as it is.
    func setSleep(as call: Sleep?) async {
        guard let call else { return }
        if sleep.timer?.isFading == true { await session.player.cancelFadeOut() }
        sleep.set(seconds: call.seconds, fade: call.fade ?? Self.standardFade)
        scheduleSleep()
        let condition = call.after.flatMap(StopCondition.init)
        await session.player.set { $0.modes.stopCondition = condition }
    }

    /// The user says himself whether there shall be sound: a timer that has begun to fade is over.
    func endFade() {
        guard sleep.timer?.isFading == true else { return }
        sleep.set(seconds: nil, fade: 0)
        scheduleSleep()
    }

    /// Does what the timer says is due now, if anything.
    func advanceSleep() async {
        let due = sleep.advance()
        if case .pause = due { sleep.set(seconds: nil, fade: 0) }
        scheduleSleep()
        switch due {
        case .fadeOut(let seconds): await session.player.fadeOut(over: seconds)
        case .pause:
            await session.player.set { $0.modes.stopCondition = nil }
            // What fades pauses by itself, with its last sample.
            if await !session.report.isFadingOut { await session.player.pause() }
        case nil: break
        }
    }

    private func scheduleSleep() {
        sleep.schedule { [weak self] in
            self?.post { await $0.advanceSleep() }
        }
    }

    /// What clients are told; nil where nothing stops by itself.
    func sleepState(_ report: SessionReport) -> SleepState? {
        let condition = report.settings.modes.stopCondition
        guard sleep.timer != nil || condition != nil else { return nil }
        return SleepState(
            remaining: sleep.remaining, fade: sleep.timer?.fade, fading: sleep.timer?.isFading,
            after: condition?.rawValue)
    }
}

extension Sleep {
    private static let longest = 7 * 86400.0

    /// Errors: times out of range, and what one cannot stop behind.
    func check() throws(ControlError) {
        if let seconds, !(seconds > 0 && seconds <= Self.longest) {
            throw ControlError(
                .invalidParams, "cannot set the sleep timer: It is from above 0 to 7 days")
        }
        if let fade, !(0...3600).contains(fade) {
            throw ControlError(.invalidParams, "cannot fade out: It takes 0 to 3600 seconds")
        }
        if let after, StopCondition(rawValue: after) == nil {
            throw .unknown("stop condition", after, StopCondition.allCases.map(\.rawValue))
        }
    }
}
