import UndersongAudioSession
package import UndersongPlayback

/// Stopping playback by itself: the sleep timer belongs to the service, stop conditions to the
/// player. They are independent, except that an expired timer clears the stop condition.
extension PlayerService {
    /// Sets or cancels the automatic stop according to `order`, replacing the previous one. Throws
    /// if times are out of range, or if the item has no chapters.
    package func sleep(_ order: SetSleep) async throws(ServiceError) {
        try order.check()
        try await check(order.after)
        await setSleep(as: order)
    }

    /// Stops playback once after something, or after nothing; the timer stays as it is. Throws if the
    /// item has no chapters.
    package func stop(after condition: StopCondition?) async throws(ServiceError) {
        try await check(condition)
        await set(condition)
    }

    private func check(_ condition: StopCondition?) async throws(ServiceError) {
        guard condition == .chapter, await !hasChapters else { return }
        throw ServiceError(.notPossible, "stop after the chapter", "the item has no chapters")
    }

    /// When playback stops by itself.
    package var sleepReport: SleepReport {
        get async { sleepReport(await session.report) ?? SleepReport() }
    }

    /// When playback stops by itself; nil if it does not.
    func sleepReport(_ report: SessionReport) -> SleepReport? {
        var sleep = sleepReport(after: report.settings.modes.stopCondition)
        guard sleep != SleepReport() else { return nil }
        sleep.remaining = sleepClock.remaining
        return sleep
    }

    private func sleepReport(after condition: StopCondition?) -> SleepReport {
        let timer = sleepClock.timer
        return SleepReport(
            time: timer == nil ? nil : sleepClock.end, fade: timer?.fade, fading: timer?.isFading,
            after: condition)
    }

    /// Whether the current item may have chapters, which is unknown until it has been opened.
    private var hasChapters: Bool {
        get async {
            let report = await session.report
            guard let item = report.current else { return false }
            return report.descriptions[item.id]?.chapters.isEmpty != true
        }
    }

    /// Applies an order that was checked; nil changes nothing.
    func setSleep(as order: SetSleep?) async {
        guard let order else { return }
        if sleepClock.timer?.isFading == true { await session.player.cancelFadeOut() }
        sleepClock.set(seconds: order.seconds, fade: order.fade ?? 10)
        scheduleSleep()
        await set(order.after)
    }

    private func set(_ condition: StopCondition?) async {
        await session.player.set { $0.modes.stopCondition = condition }
        await reportSleep()
    }

    /// Publishes when playback is to stop by itself, if that has changed.
    func reportSleep() async {
        let sleep = sleepReport(after: await session.report.settings.modes.stopCondition)
        guard sleep != reportedSleep else { return }
        reportedSleep = sleep
        await session.report(.sleep(sleep))
    }

    /// Cancels a fade in progress, after the user has asked for sound or silence.
    func endFade() {
        guard sleepClock.timer?.isFading == true else { return }
        sleepClock.set(seconds: nil, fade: 0)
        scheduleSleep()
        post { await $0.reportSleep() }
    }

    /// Performs whatever the timer has due now, if anything.
    func advanceSleep() async {
        let due = sleepClock.advance()
        if case .pause = due { sleepClock.set(seconds: nil, fade: 0) }
        scheduleSleep()
        switch due {
        case .fadeOut(let seconds): await session.player.fadeOut(over: seconds)
        case .pause:
            await session.player.set { $0.modes.stopCondition = nil }
            // A fade pauses by itself with its last sample.
            if await !session.report.isFadingOut { await session.player.pause() }
        case nil: break
        }
        await reportSleep()
    }

    private func scheduleSleep() {
        sleepClock.schedule { [weak self] in
            self?.post { await $0.advanceSleep() }
        }
    }
}

extension SetSleep {
    private static let longest = 7 * 86400.0

    /// Throws if a time is out of range.
    func check() throws(ServiceError) {
        if let seconds, !(seconds > 0 && seconds <= Self.longest) {
            throw ServiceError(
                .invalidValue, "set the sleep timer", "it must be above 0, at most 7 days")
        }
        if let fade, !(0...3600).contains(fade) {
            throw ServiceError(.invalidValue, "fade out", "it takes 0 to 3600 seconds")
        }
    }
}
