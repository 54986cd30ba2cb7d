package import Background

/// What the scheduler of background tasks needs of the machine.
package struct RefreshEnvironment: Sendable {
    /// Makes the alarm that calls the closure.
    package var alarm: @Sendable (@escaping @Sendable () -> Void) -> any ScheduleAlarm
    /// Begins to watch network, power and sleep, and returns what ends that. Called when something
    /// is wanted for the first time; nil where nobody knows them.
    package var watchMachine:
        (@Sendable (@escaping @Sendable (MachineState) -> Void) -> @Sendable () -> Void)?
    /// Seconds by which local time is ahead of UTC at a moment in seconds since 1970.
    package var utcOffset: @Sendable (Double) -> Double
    /// The work that waits for each processor, averaged over a minute; nil if unknown.
    package var load: @Sendable () -> Double?
    /// Names the current start of the machine.
    package var bootID: String
    /// Spreads what several machines do.
    package var seed: UInt64

    package init(
        alarm: @escaping @Sendable (@escaping @Sendable () -> Void) -> any ScheduleAlarm,
        watchMachine: (
            @Sendable (@escaping @Sendable (MachineState) -> Void) -> @Sendable () -> Void
        )? = nil,
        utcOffset: @escaping @Sendable (Double) -> Double = { _ in 0 },
        load: @escaping @Sendable () -> Double? = { nil }, bootID: String, seed: UInt64
    ) {
        self.alarm = alarm
        self.watchMachine = watchMachine
        self.utcOffset = utcOffset
        self.load = load
        self.bootID = bootID
        self.seed = seed
    }
}
