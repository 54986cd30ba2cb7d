/// A reason why a task that is wanted does not run now.
package enum RefreshObstacle: Hashable, Sendable {
    /// A short name for programs.
    package enum Name: String, Codable, Hashable, Sendable, CaseIterable {
        case notDeclared, notPermitted, denied, restricted, shutDown, noHandler, running
        case otherProcessing, settling, asleep, lowBattery, savingPower, offline, notConnected
        case onBattery = "battery"
        case inUse, busy, earliestBeginDate, betterTime, interval, costly, budget, dataBudget
        case unsteady, closed, stopped
    }

    /// The background mode is not declared.
    case notDeclared(BackgroundMode)
    /// The identifier is not among the permitted ones.
    case notPermitted(String)
    /// The user has switched background refresh off.
    case denied
    /// Background refresh is off, and the user cannot change that.
    case restricted
    /// The user has shut the host down, and has not opened it since.
    case shutDown
    /// No handler is registered for the identifier.
    case noHandler
    /// It runs already.
    case running
    /// Another task that processes is running.
    case otherProcessing
    /// The conditions of the machine are not known yet.
    case settling
    /// The machine sleeps.
    case asleep
    /// Only essential work is done at this charge.
    case lowBattery
    /// The machine saves power.
    case savingPower
    /// There is no network.
    case offline
    /// The Internet cannot be reached, which is what it requires.
    case notConnected
    /// It requires external power.
    case onBattery
    /// The user uses the host, or the machine.
    case inUse
    /// The processors have other work.
    case busy
    /// Not before this date, in seconds since 1970.
    case earliestBeginDate(Double)
    /// There is a better moment, in seconds since 1970.
    case betterTime(RefreshPlan)
    /// The interval since the last run has not passed: until then, in seconds of CLOCK_BOOTTIME.
    case interval(Double)
    /// A run costs so many seconds of processor time that the next one has to wait, until a time in
    /// seconds of CLOCK_BOOTTIME.
    case costly(Double, seconds: Double)
    /// The wakes of a day are used up until a time, in seconds of CLOCK_BOOTTIME.
    case budget(Double)
    /// The data of a day is used up until a time, in seconds of CLOCK_BOOTTIME.
    case dataBudget(Double)
    /// A condition that it requires has only just come about; it has to last until a time, in
    /// seconds of CLOCK_BOOTTIME.
    case unsteady(Double)
    /// The user has closed the app, and has not opened it since.
    case closed
    /// The program that handles it was stopped, by somebody else than job control: it is tried again at
    /// a time, in seconds of CLOCK_BOOTTIME.
    case stopped(Double)

    /// The seconds of CLOCK_BOOTTIME at which it ends by itself; nil if time does not end it.
    var boot: Double? {
        switch self {
        case .interval(let boot), .costly(let boot, _), .budget(let boot), .dataBudget(let boot),
            .unsteady(let boot), .stopped(let boot):
            boot
        default: nil
        }
    }

    /// The date at which it ends by itself, in seconds since 1970; nil if the date does not.
    var wall: Double? {
        switch self {
        case .earliestBeginDate(let wall): wall
        case .betterTime(let plan): plan.wall
        default: nil
        }
    }

    /// True if something has to happen before the task can run.
    var needsChange: Bool { boot == nil && wall == nil }

    /// True if it ends within moments, by an answer of the machine or by itself.
    var passesSoon: Bool {
        switch self {
        case .settling, .unsteady: true
        default: false
        }
    }

    /// The name.
    var name: Name {
        switch self {
        case .notDeclared: .notDeclared
        case .notPermitted: .notPermitted
        case .denied: .denied
        case .restricted: .restricted
        case .shutDown: .shutDown
        case .noHandler: .noHandler
        case .running: .running
        case .otherProcessing: .otherProcessing
        case .settling: .settling
        case .asleep: .asleep
        case .lowBattery: .lowBattery
        case .savingPower: .savingPower
        case .offline: .offline
        case .notConnected: .notConnected
        case .onBattery: .onBattery
        case .inUse: .inUse
        case .busy: .busy
        case .earliestBeginDate: .earliestBeginDate
        case .betterTime: .betterTime
        case .interval: .interval
        case .costly: .costly
        case .budget: .budget
        case .dataBudget: .dataBudget
        case .unsteady: .unsteady
        case .closed: .closed
        case .stopped: .stopped
        }
    }

    /// A lower-case clause that names the obstacle, with local times.
    func words(at now: ScheduleTime) -> String {
        switch self {
        case .notDeclared(let mode):
            "the background mode '\(mode.rawValue)' is not declared"
        case .notPermitted(let identifier): "the identifier \(identifier) is not permitted"
        case .denied: "background refresh is switched off"
        case .restricted: "background refresh is restricted, and cannot be switched on"
        case .shutDown: "the player was shut down, and has not been opened since"
        case .noHandler: "no program handles it"
        case .running: "it is running already"
        case .otherProcessing: "another processing task is running"
        case .settling: "the conditions of the machine are not known yet"
        case .asleep: "the machine is asleep"
        case .lowBattery: "the battery is low"
        case .savingPower: "the machine is saving power"
        case .offline: "there is no network"
        case .notConnected: "the Internet cannot be reached"
        case .onBattery: "the machine is running on its battery"
        case .inUse: "the player or the machine is in use"
        case .busy: "the processors are busy"
        case .earliestBeginDate(let wall): "it must not begin before \(now.clockFace(wall))"
        case .betterTime(let plan): plan.words(at: now)
        case .interval(let boot): "the interval ends at \(now.clockFace(now.wall(atBoot: boot)))"
        case .costly(let boot, let seconds):
            "a run takes \(Int(seconds.rounded())) s of processor time; "
                + "the next one is at \(now.clockFace(now.wall(atBoot: boot)))"
        case .budget(let boot):
            "it has run \(WakeBudget.limit) times within a day; "
                + "the next time is at \(now.clockFace(now.wall(atBoot: boot)))"
        case .dataBudget(let boot):
            "\(DataBudget.limit / 1_000_000) MB were transferred within a day; "
                + "the next time is at \(now.clockFace(now.wall(atBoot: boot)))"
        case .unsteady: "its conditions have only just been met"
        case .closed: "the user has closed the app, and has not opened it since"
        case .stopped: "the program that handles it is stopped"
        }
    }

    /// The command that removes it; nil if there is none.
    package var remedy: String? {
        switch self {
        case .notDeclared(let mode): "undersong capability \(mode.rawValue) on"
        case .notPermitted(let identifier): "undersong capability permit \(identifier)"
        case .denied: "undersong fetch allow"
        default: nil
        }
    }
}

extension RefreshPlan {
    func words(at now: ScheduleTime) -> String {
        switch reason {
        case .first: "it has never run"
        case .opens: "the player is often opened within an hour of \(now.clockFace(wall))"
        case .news: "there is often something new by \(now.clockFace(wall))"
        case .quiet: "the player is seldom opened at \(now.clockFace(wall))"
        case .longestWait: "there is no better moment before \(now.clockFace(wall))"
        }
    }
}
