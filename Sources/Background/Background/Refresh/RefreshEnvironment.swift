package import UndersongBase
import UndersongPlayback

/// The machine as a scheduler of background tasks needs it: the service's, and that of programs
/// with tasks of their own.
package struct RefreshEnvironment: Sendable {
    /// Reports values of one kind on a thread of its own, until what it returns is called.
    package typealias Watch<Value> =
        @Sendable (@escaping @Sendable (Value) -> Void) -> @Sendable () -> Void

    /// The time now.
    package var now: @Sendable () -> ScheduleTime
    /// Makes the alarm that calls the closure.
    package var alarm: @Sendable (@escaping @Sendable () -> Void) -> any Alarm
    /// Watches network and power, and sleep where `watchLogin` is nil. Called when something is
    /// wanted for the first time; nil where they are unknown.
    package var watchMachine: Watch<MachineState>?
    /// Follows the login session, likewise; nil where that is done elsewhere.
    package var watchLogin: Watch<LoginState>?
    /// The work that waits for each processor, averaged over a minute; nil if unknown.
    package var load: @Sendable () -> Double?
    /// Names the current start of the machine; empty if that is unknown.
    package var bootID: String
    /// Spreads what several machines do.
    package var seed: UInt64

    package init(
        now: @escaping @Sendable () -> ScheduleTime,
        alarm: @escaping @Sendable (@escaping @Sendable () -> Void) -> any Alarm,
        load: @escaping @Sendable () -> Double? = { nil }, bootID: String = "", seed: UInt64
    ) {
        self.now = now
        self.alarm = alarm
        self.load = load
        self.bootID = bootID
        self.seed = seed
    }
}

extension ScheduleTime {
    /// The time by `clock`, in a time zone whose distance from UTC at any time, in seconds since
    /// 1970, `utcOffset` returns.
    package init(_ clock: any HostClock, in utcOffset: (Double) -> Double) {
        self.init(
            boot: clock.secondsSinceBoot, wall: clock.secondsSinceEpoch, in: utcOffset)
    }
}
