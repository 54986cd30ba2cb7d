import AudioSession
import Playback

/// When playing stops by itself: the sleep timer is the service's, stopping after an item or the
/// queue the player's. Neither knows of the other, but the timer's end is the end of both.
extension PlayerService {
    /// Lets playing stop by itself as `order` says, in the place of what was said before. Errors:
    /// times out of range, or an item without chapters.
    package func sleep(_ order: SleepOrder) async throws(ServiceError) {
        try order.check()
        if order.condition == .chapter, await !hasChapters {
            throw ServiceError(
                .notPossible, "stop after the chapter", "the item has no chapters")
        }
        await setSleep(as: order)
    }

    /// When playing stops by itself; nil: it does not.
    package var sleepStatus: SleepStatus? {
        get async { sleepStatus(await session.report) }
    }

    func sleepStatus(_ report: SessionReport) -> SleepStatus? {
        let condition = report.settings.modes.stopCondition
        let timer = sleepClock.timer.map {
            SleepStatus.Timer(
                remaining: sleepClock.remaining ?? 0, fade: $0.fade, isFading: $0.isFading)
        }
        guard timer != nil || condition != nil else { return nil }
        return SleepStatus(timer: timer, condition: condition)
    }

    /// Whether the current item may have chapters: one that was not opened yet may.
    private var hasChapters: Bool {
        get async {
            let report = await session.report
            guard let item = report.current else { return false }
            return report.descriptions[item.id]?.chapters.isEmpty != true
        }
    }

    /// Takes over an order, which was checked; without one all stays as it is.
    func setSleep(as order: SleepOrder?) async {
        guard let order else { return }
        if sleepClock.timer?.isFading == true { await session.player.cancelFadeOut() }
        sleepClock.set(seconds: order.seconds, fade: order.fade)
        scheduleSleep()
        let condition = order.condition
        await session.player.set { $0.modes.stopCondition = condition }
    }

    /// The user says whether there is to be sound: a timer that has begun to fade is over.
    func endFade() {
        guard sleepClock.timer?.isFading == true else { return }
        sleepClock.set(seconds: nil, fade: 0)
        scheduleSleep()
    }

    /// Does what the timer says is due now, if anything.
    func advanceSleep() async {
        let due = sleepClock.advance()
        if case .pause = due { sleepClock.set(seconds: nil, fade: 0) }
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
        sleepClock.schedule { [weak self] in
            self?.post { await $0.advanceSleep() }
        }
    }
}
