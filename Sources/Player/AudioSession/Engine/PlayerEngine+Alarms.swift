import UndersongBase
import UndersongPlayback

/// Calls that the engine makes to itself later, by the session's clock.
extension PlayerEngine {
    /// What the engine does later, each at most once at a time.
    enum Alarm: Hashable {
        /// Tries a lost output again.
        case retry
        /// Makes the next step of the volume ramps of other programs.
        case rampStep
    }

    /// Seconds between two steps of a volume ramp.
    private static let rampInterval = 0.02

    /// Tries a lost output again, later each time until `endRetries`. Has no effect while a retry is
    /// pending.
    func retryLater() {
        guard alarms[.retry] == nil else { return }
        set(.retry, after: outputRetries.next()) { _ = $0.handle(.output(.retryIsDue)) }
    }

    /// Cancels a pending retry. The next one is a first one again.
    func endRetries() {
        cancel(.retry)
        outputRetries.reset()
    }

    /// Makes a step of the volume ramps of other programs every 20 ms until `endRamp`.
    func beginRamp() {
        set(.rampStep, after: Self.rampInterval) { engine in
            engine.beginRamp()
            engine.feed(server: .rampStep)
        }
    }

    func endRamp() { cancel(.rampStep) }

    /// Calls `body` after `seconds` unless the engine is gone.
    @discardableResult
    func call(
        after seconds: Double, _ body: @escaping @Sendable (isolated PlayerEngine) -> Void
    ) -> HostTimer {
        configuration.clock.wake(after: seconds, leeway: 1_000_000) { [weak self, executor] in
            executor.post { [weak self] in self?.assumeIsolated(body) }
        }
    }

    /// Has no effect while such a call is pending.
    private func set(
        _ alarm: Alarm, after seconds: Double,
        _ body: @escaping @Sendable (isolated PlayerEngine) -> Void
    ) {
        guard alarms[alarm] == nil else { return }
        alarmCount += 1
        let number = alarmCount
        // A timer that is cancelled at its very moment may still call.
        let timer = call(after: seconds) { engine in
            guard engine.alarms[alarm]?.number == number else { return }
            engine.alarms[alarm] = nil
            body(engine)
        }
        alarms[alarm] = (number, timer)
    }

    private func cancel(_ alarm: Alarm) { alarms.removeValue(forKey: alarm)?.timer.cancel() }
}
