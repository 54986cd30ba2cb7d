import UndersongAudioSession
import UndersongBackground
import UndersongBase
package import UndersongPlayback

/// Stopping playback by itself: the sleep timer belongs to the service, stop conditions to the
/// player. They are independent, except that an expired timer clears the stop condition.
final class SleepFeature: BackgroundFeature {
    static let methods: [WireMethod] = [
        WireMethod(GetSleep.self) { frontEnd, _, _ in await frontEnd.player.sleepReport },
        WireMethod(SetSleep.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.sleep(call)
            return await frontEnd.player.sleepReport
        },
        WireMethod(StopAfter.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.stop(after: call.after)
            return await frontEnd.player.sleepReport
        },
    ]

    static func wants(_ event: PlayerEvent) -> Bool {
        if case .settings = event.kind { true } else { false }
    }

    /// The running timer; nil for none.
    private var timer: SleepTimer?
    /// The end of the timer in seconds since 1970; nil if none is running.
    private var endDate: Double?
    /// The report that was published last.
    fileprivate(set) var published = SleepReport()
    private let clock: any HostClock
    private let alarm: HostAlarm

    init(_ service: PlayerService) {
        clock = service.configuration.clock
        alarm = HostAlarm(clock, leeway: 50_000_000) { [weak service] in
            service?.post { await $0.feature(SleepFeature.self).advance($0) }
        }
    }

    /// As for tasks, time also passes while the machine sleeps.
    private var now: Double { clock.secondsSinceBoot }

    fileprivate var isFading: Bool { timer?.isFading == true }

    /// Silence comes in `seconds`, of which the last `fade` fade out; nil cancels the timer.
    fileprivate func set(seconds: Double?, fade: Double) {
        timer = seconds.map { SleepTimer(seconds: $0, fade: fade, at: now) }
        endDate = seconds.map { clock.secondsSinceEpoch + $0 }
        alarm.set(boot: timer?.nextDue, wall: nil)
    }

    /// Performs what the timer has due.
    private func advance(_ service: isolated PlayerService) async {
        let due = timer?.advance(to: now)
        if case .pause = due { set(seconds: nil, fade: 0) }
        alarm.set(boot: timer?.nextDue, wall: nil)
        let session = service.session
        switch due {
        case .fadeOut(let seconds): await session.player.fadeOut(over: seconds)
        case .pause:
            await session.player.set { $0.modes.stopCondition = nil }
            // A fade pauses by itself with its last sample.
            if await !session.report.isFadingOut { await session.player.pause() }
        case nil: break
        }
        await service.publishSleep()
    }

    /// The report without the remaining time, which no event has.
    fileprivate func report(after condition: StopCondition?) -> SleepReport {
        SleepReport(
            time: timer == nil ? nil : endDate, fade: timer?.fade, fading: timer?.isFading,
            after: condition)
    }

    fileprivate func report(_ session: SessionReport) -> SleepReport? {
        var sleep = report(after: session.settings.modes.stopCondition)
        guard sleep != SleepReport() else { return nil }
        sleep.remaining = timer?.remaining(at: now)
        return sleep
    }

    func loginChanged(_ service: isolated PlayerService) async { await advance(service) }

    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {
        await service.publishSleep()
    }

    func add(to status: inout PlayerStatus, _ report: SessionReport) {
        status.sleep = self.report(report)
    }

    func end() { alarm.stop() }
}

extension PlayerService {
    /// Sets or cancels the automatic stop according to `order`, replacing the previous one.
    ///
    /// - Throws: Times are out of range, or the item has no chapters.
    package func sleep(_ order: SetSleep) async throws(ServiceError) {
        try order.check()
        try await check(order.after)
        await setSleep(as: order)
    }

    /// Stops playback once after something, or after nothing; the timer stays as it is.
    ///
    /// - Throws: The item has no chapters.
    package func stop(after condition: StopCondition?) async throws(ServiceError) {
        try await check(condition)
        await set(condition)
    }

    private func check(_ condition: StopCondition?) async throws(ServiceError) {
        guard condition == .chapter, await !hasChapters else { return }
        throw ServiceError(.notPossible, "stop after the chapter", "the item has no chapters")
    }

    /// The moment when playback stops by itself.
    package var sleepReport: SleepReport {
        get async { feature(SleepFeature.self).report(await session.report) ?? SleepReport() }
    }

    /// True if the current item may have chapters, which is unknown until it has been opened.
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
        let sleep = feature(SleepFeature.self)
        if sleep.isFading { await session.player.cancelFadeOut() }
        sleep.set(seconds: order.seconds, fade: order.fade ?? 10)
        await set(order.after)
    }

    private func set(_ condition: StopCondition?) async {
        await session.player.set { $0.modes.stopCondition = condition }
        await publishSleep()
    }

    /// Publishes the moment when playback is to stop by itself, if that has changed.
    fileprivate func publishSleep() async {
        let feature = feature(SleepFeature.self)
        let sleep = feature.report(
            after: await session.report.settings.modes.stopCondition)
        guard sleep != feature.published else { return }
        feature.published = sleep
        await session.report(.sleep(sleep))
    }

    /// Cancels a fade in progress, after the user has asked for sound or silence.
    func endFade() {
        let sleep = feature(SleepFeature.self)
        guard sleep.isFading else { return }
        sleep.set(seconds: nil, fade: 0)
        post { await $0.publishSleep() }
    }
}

extension SetSleep {
    private static let longest = 7 * 86400.0

    /// - Throws: A time is out of range.
    func check() throws(ServiceError) {
        if let seconds, !(seconds > 0 && seconds <= Self.longest) {
            throw ServiceError(
                .invalidValue, "set the sleep timer", "the time must be above 0 and at most 7 days")
        }
        if let fade, !(0...3600).contains(fade) {
            throw ServiceError(.invalidValue, "fade out", "a fade-out takes 0 to 3600 seconds")
        }
    }
}
