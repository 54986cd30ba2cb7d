import Background
import Glibc
import LinuxPlatform
import TestSupport
import Testing

/// The rows of behaviour 4 that logind has a say in, against a mock of it on a private bus.
@Suite(.serialized) struct `The login monitor` {
    private static let active = LoginState(session: .init(isActive: true, isLocked: false))
    private static let locked = LoginState(session: .init(isActive: true, isLocked: true))
    private static let elsewhere = LoginState(session: .init(isActive: false, isLocked: false))
    private static let sleeping = LoginState(
        session: .init(isActive: true, isLocked: false), isSleeping: true)

    private static let held =
        "inhibited sleep|Undersong|"
        + "The sound is put away before the machine sleeps|delay"

    @Test func `tells the state of the session that it is given`() throws {
        let login = try MockLogin()
        try login.tell("add_session c1 inactive")
        try login.tell("add_session c2 active")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(session: "c1", process: nil), states)

        #expect(try states.next() == Self.elsewhere)
        monitor.stop()
    }

    @Test func `tells the state of a process's session`() throws {
        let login = try MockLogin()
        try login.tell("add_session c1 active")
        try login.tell("add_session c2 inactive")
        try login.tell("set_process_session c2")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(), states)

        #expect(try states.next() == Self.elsewhere)
        monitor.stop()
    }

    @Test func `tells the state of the user's display where nothing else has a session`() throws {
        let login = try MockLogin()
        try login.tell("add_session c1 inactive")
        try login.tell("add_session c2 active")
        try login.tell("set_display c2")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(), states)

        #expect(try states.next() == Self.active)
        monitor.stop()
    }

    @Test func `finds a display that comes later, and loses one that goes`() throws {
        let login = try MockLogin()
        try login.tell("add_session c1 active")
        let states = Inbox<LoginState>()
        let monitor = monitor(of: login, .init(), states)
        #expect(try login.inhibitors.next() == Self.held)

        try login.tell("set_display c1")
        #expect(try states.next() == Self.active)
        try login.tell("remove_session c1")
        #expect(try states.next() == .unknown)

        monitor.stop()
    }

    @Test(arguments: ["update c1 LockedHint true", "signal c1 Lock"])
    func `tells that the session is locked`(lock: String) throws {
        let (login, monitor, states) = try started()

        try login.tell(lock)

        #expect(try states.next() == Self.locked)
        monitor.stop()
    }

    @Test(arguments: ["update c1 LockedHint false", "signal c1 Unlock"])
    func `tells that the session is unlocked`(unlock: String) throws {
        let (login, monitor, states) = try started()
        try login.tell("update c1 LockedHint true")
        #expect(try states.next() == Self.locked)

        try login.tell(unlock)

        #expect(try states.next() == Self.active)
        monitor.stop()
    }

    @Test func `tells that another session has the screen, and that this one has it again`() throws
    {
        let (login, monitor, states) = try started()

        try login.tell("update c1 Active false")
        let away = try states.next()
        try login.tell("update c1 Active true")
        let back = try states.next()

        #expect(away == Self.elsewhere)
        #expect(back == Self.active)
        monitor.stop()
    }

    @Test func `tells nothing of what is not new`() throws {
        let (login, monitor, states) = try started()

        try login.tell("update c1 IdleHint true")
        try login.tell("update c1 LockedHint false")
        try login.tell("signal c1 Unlock")
        try login.tell("update c1 Active false")
        let next = try states.next()

        #expect(next == Self.elsewhere)
        monitor.stop()
        #expect(states.rest == [])
    }

    @Test func `holds the sleep back until the sound has been put away, each time anew`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)

        for _ in 0..<2 {
            try login.tell("sleep true")
            #expect(try states.next() == Self.sleeping)
            try login.tell("update c1 IdleHint true")
            #expect(login.inhibitors.rest == [])
            monitor.readyToSleep()
            #expect(try login.inhibitors.next() == "released sleep")
            try login.tell("sleep false")
            #expect(try states.next() == Self.active)
            #expect(try login.inhibitors.next() == Self.held)
        }

        monitor.stop()
    }

    @Test func `lets go of the sleep when it ends`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)
        // The mock has told of the hold before the monitor has it, but not so of what follows.
        try login.tell("update c1 LockedHint true")
        #expect(try states.next() == Self.locked)

        monitor.stop()

        #expect(try login.inhibitors.next() == "released sleep")
    }

    @Test func `lets a sleep that it was ready for begin, whatever happens on the way`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)
        try login.tell("sleep true")
        #expect(try states.next() == Self.sleeping)
        monitor.readyToSleep()
        #expect(try login.inhibitors.next() == "released sleep")

        for isLocked in [true, false] {
            try login.tell("update c1 LockedHint \(isLocked)")
            #expect(try states.next().session?.isLocked == isLocked)
        }
        // What the mock was asked to do before is told by now.
        try login.tell("update c1 IdleHint true")

        #expect(login.inhibitors.rest == [])
        monitor.stop()
    }

    @Test func `keeps its hold where the sound was not put away in time`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)

        try login.tell("sleep true")
        #expect(try states.next() == Self.sleeping)
        try login.tell("sleep false")
        #expect(try states.next() == Self.active)
        monitor.readyToSleep()
        try login.tell("sleep true")
        #expect(try states.next() == Self.sleeping)
        #expect(login.inhibitors.rest == [])
        monitor.readyToSleep()

        #expect(try login.inhibitors.next() == "released sleep")
        monitor.stop()
    }

    @Test func `knows of a sleep that began before it`() throws {
        let login = try MockLogin()
        try login.tell("add_session c1 active")
        try login.tell("sleep true")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(session: "c1"), states)

        #expect(try states.next() == Self.sleeping)
        monitor.stop()
        try login.tell("update c1 IdleHint true")
        #expect(login.inhibitors.rest == [])
    }

    @Test func `believes the login manager only`() throws {
        let (login, monitor, states) = try started()

        try login.tell("forge_sleep")
        try login.tell("update c1 Active false")

        #expect(try states.next() == Self.elsewhere)
        monitor.stop()
    }

    @Test func `outlives the login manager and finds the next one`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)

        try login.tell("stop_logind")
        #expect(try states.next() == .unknown)
        #expect(try login.inhibitors.next() == "released sleep")
        try login.tell("start_logind")
        #expect(try login.inhibitors.next() == Self.held)
        try login.tell("add_session c1 active")
        try login.tell("set_display c1")
        #expect(try states.next() == Self.active)

        monitor.stop()
    }

    @Test func `waits for a login manager that is not there yet`() throws {
        let login = try MockLogin()
        try login.tell("stop_logind")
        let states = Inbox<LoginState>()
        let monitor = monitor(of: login, .init(session: "c1"), states)

        try login.tell("start_logind")
        try login.tell("sleep true")
        let asleep = try states.next()

        #expect(asleep == LoginState(session: nil, isSleeping: true))
        monitor.stop()
    }

    @Test func `finds a bus again that was lost`() throws {
        let (login, monitor, states) = try started(
            reconnectDelays: Array(repeating: 0.05, count: 1_000))

        try login.tell("kill_bus")
        let lost = try states.next()
        try login.tell("start_bus")
        try login.tell("sleep true")
        let found = try states.next()

        #expect(lost == .unknown)
        #expect(found == LoginState(session: nil, isSleeping: true))
        monitor.stop()
    }

    @Test func `gives up a bus that does not come back`() throws {
        let (login, monitor, states) = try started(reconnectDelays: [0, 0])

        try login.tell("kill_bus")

        #expect(try states.next() == .unknown)
        monitor.waitUntilEnded()
        #expect(states.rest == [])
    }

    @Test(arguments: ["unix:path=/nonexistent/bus", "nonsense", ""])
    func `ends where there is no bus, and tells nothing`(address: String) {
        let states = Inbox<LoginState>()

        let monitor = LoginMonitor(.init(address: address)) { states.put($0) }
        monitor.waitUntilEnded()
        monitor.readyToSleep()
        monitor.stop()

        #expect(states.rest == [])
    }

    @Test func `stops at once where a bus takes connections and never answers`() throws {
        let socket = try SilentSocket()
        let states = Inbox<LoginState>()
        let monitor = LoginMonitor(.init(address: socket.address)) { states.put($0) }
        socket.waitForConnection()

        monitor.stop()

        #expect(states.rest == [])
    }

    @Test func `stops while it waits to try again`() throws {
        let (login, monitor, states) = try started(reconnectDelays: [1_000])
        try login.tell("kill_bus")
        #expect(try states.next() == .unknown)

        monitor.stop()

        #expect(states.rest == [])
    }

    @Test func `waits for the bus without a timer while nothing happens`() throws {
        let (login, monitor, states) = try started()
        // All calls, whose answers it waits for with a time limit, are behind it then.
        try login.tell("update c1 LockedHint true")
        #expect(try states.next() == Self.locked)

        let wait = try Threads.waitForPoll(of: "login")

        #expect(wait.timeout == "0x0")
        monitor.stop()
    }

    /// A monitor of session c1, which is active, after it has told that.
    private func started(
        reconnectDelays: [Double] = []
    ) throws -> (login: MockLogin, monitor: LoginMonitor, states: Inbox<LoginState>) {
        let login = try MockLogin()
        try login.tell("add_session c1 active")
        let states = Inbox<LoginState>()
        let identity = LoginIdentity(session: "c1", process: nil)
        let monitor = monitor(of: login, identity, states, reconnectDelays)
        #expect(try states.next() == Self.active)
        return (login, monitor, states)
    }

    private func monitor(
        of login: MockLogin, _ identity: LoginIdentity, _ states: Inbox<LoginState>,
        _ reconnectDelays: [Double] = []
    ) -> LoginMonitor {
        let configuration = LoginMonitor.Configuration(
            identity: identity, address: login.address, reconnectDelays: reconnectDelays)
        return LoginMonitor(configuration) { states.put($0) }
    }
}
