/// A machine with its clock and its alarm: what all shells have in common.
struct MachineTimer<M: Machine> {
    private(set) var machine: M
    private let now: () -> M.Time
    private let makeAlarm: (() -> any Alarm)?
    private var alarm: (any Alarm)?
    /// The moment for which the alarm is set.
    private var due = Due.never
    /// The machine's answer since its last change.
    private var known: Due?
    private var isStopped = false

    init(_ machine: M, now: @escaping () -> M.Time, alarm: (() -> any Alarm)?) {
        self.machine = machine
        self.now = now
        makeAlarm = alarm
    }

    /// The moment for which the machine waits, which only inputs and changes move.
    var nextDue: Due {
        mutating get {
            let due = known ?? machine.nextDue(at: now())
            known = due
            return due
        }
    }

    /// Handles an input, sets the alarm, and returns the effects.
    mutating func handle(_ input: M.Input) -> [M.Effect] {
        known = nil
        defer { setAlarm() }
        return machine.handle(input, at: now())
    }

    /// Changes the machine without an input, and sets the alarm again.
    mutating func update(_ change: (inout M) -> Void) {
        known = nil
        change(&machine)
        setAlarm()
    }

    /// Never rings again.
    mutating func stop() {
        isStopped = true
        alarm?.stop()
        alarm = nil
    }

    /// The alarm is made when it is wanted first.
    private mutating func setAlarm() {
        guard !isStopped, let makeAlarm else { return }
        let new = nextDue
        guard new != .never || due != .never else { return }
        due = new
        let alarm = alarm ?? makeAlarm()
        self.alarm = alarm
        alarm.set(boot: new.boot, wall: new.wall)
    }
}
