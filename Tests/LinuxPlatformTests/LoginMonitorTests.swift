import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongLinuxPlatform

/// The rows of behaviour 4 that involve logind, tested with a mock of it on a private bus.
@Suite(.blockingThreads, .serialized) struct `The login monitor` {
    private static let active = LoginState(
        session: .init(isActive: true, isLocked: false, isIdle: false))
    private static let locked = LoginState(
        session: .init(isActive: true, isLocked: true, isIdle: false))
    private static let elsewhere = LoginState(
        session: .init(isActive: false, isLocked: false, isIdle: false))
    private static let sleeping = LoginState(
        session: .init(isActive: true, isLocked: false, isIdle: false), isSleeping: true)

    private static let held =
        "inhibited sleep|Undersong|"
        + "The sound is put away before the machine sleeps|delay"

    @Test func `The login monitor reports the state of a given session`() throws {
        let login = try MockLogin()
        try login.send("add_session c1 inactive")
        try login.send("add_session c2 active")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(session: "c1", process: nil), states)

        #expect(try states.next() == Self.elsewhere)
        monitor.stop()
    }

    @Test func `The login monitor reports the state of a process's session`() throws {
        let login = try MockLogin()
        try login.send("add_session c1 active")
        try login.send("add_session c2 inactive")
        try login.send("set_process_session c2")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(), states)

        #expect(try states.next() == Self.elsewhere)
        monitor.stop()
    }

    @Test
    func `The login monitor reports the state of the user's display if nothing else has a session`()
        throws
    {
        let login = try MockLogin()
        try login.send("add_session c1 inactive")
        try login.send("add_session c2 active")
        try login.send("set_display c2")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(), states)

        #expect(try states.next() == Self.active)
        monitor.stop()
    }

    @Test
    func `The login monitor finds a display that appears later, and notices that it disappears`()
        throws
    {
        let login = try MockLogin()
        try login.send("add_session c1 active")
        let states = Inbox<LoginState>()
        let monitor = monitor(of: login, .init(), states)
        #expect(try login.inhibitors.next() == Self.held)

        try login.send("set_display c1")
        #expect(try states.next() == Self.active)
        try login.send("remove_session c1")
        #expect(try states.next() == .unknown)

        monitor.stop()
    }

    @Test(arguments: ["update c1 LockedHint true", "signal c1 Lock"])
    func `The login monitor reports that the session is locked`(lock: String) throws {
        let (login, monitor, states) = try started()

        try login.send(lock)

        #expect(try states.next() == Self.locked)
        monitor.stop()
    }

    @Test(arguments: ["update c1 LockedHint false", "signal c1 Unlock"])
    func `The login monitor reports that the session is unlocked`(unlock: String) throws {
        let (login, monitor, states) = try started()
        try login.send("update c1 LockedHint true")
        #expect(try states.next() == Self.locked)

        try login.send(unlock)

        #expect(try states.next() == Self.active)
        monitor.stop()
    }

    @Test
    func `The login monitor reports that another session has the screen, and that it is back`()
        throws
    {
        let (login, monitor, states) = try started()

        try login.send("update c1 Active false")
        let away = try states.next()
        try login.send("update c1 Active true")
        let back = try states.next()

        #expect(away == Self.elsewhere)
        #expect(back == Self.active)
        monitor.stop()
    }

    @Test func `The login monitor reports that the session is idle, and in use again`() throws {
        let (login, monitor, states) = try started()

        try login.send("update c1 IdleHint true")
        #expect(try states.next().session?.isIdle == true)
        try login.send("update c1 IdleHint false")

        #expect(try states.next() == Self.active)
        monitor.stop()
    }

    @Test func `The login monitor reports nothing that is not new`() throws {
        let (login, monitor, states) = try started()

        try login.send("update c1 IdleHint false")
        try login.send("update c1 LockedHint false")
        try login.send("signal c1 Unlock")
        try login.send("update c1 Active false")
        let next = try states.next()

        #expect(next == Self.elsewhere)
        monitor.stop()
        #expect(states.rest == [])
    }

    @Test func `The login monitor delays sleep until the sound is silenced, every time`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)

        for _ in 0..<2 {
            try login.send("sleep true")
            #expect(try states.next() == Self.sleeping)
            try login.send("update c1 IdleHint false")
            #expect(login.inhibitors.rest == [])
            monitor.readyToSleep()
            #expect(try login.inhibitors.next() == "released sleep")
            try login.send("sleep false")
            #expect(try states.next() == Self.active)
            #expect(try login.inhibitors.next() == Self.held)
        }

        monitor.stop()
    }

    @Test func `The login monitor stops delaying sleep when it ends`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)
        // The mock reports the delay before the monitor receives it, but not so what follows.
        try login.send("update c1 LockedHint true")
        #expect(try states.next() == Self.locked)

        monitor.stop()

        #expect(try login.inhibitors.next() == "released sleep")
    }

    @Test
    func `The login monitor lets a sleep begin that it was ready for, whatever happens meanwhile`()
        throws
    {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)
        try login.send("sleep true")
        #expect(try states.next() == Self.sleeping)
        monitor.readyToSleep()
        #expect(try login.inhibitors.next() == "released sleep")

        for isLocked in [true, false] {
            try login.send("update c1 LockedHint \(isLocked)")
            #expect(try states.next().session?.isLocked == isLocked)
        }
        // By now the mock has reported everything it was asked to do before.
        try login.send("update c1 IdleHint false")

        #expect(login.inhibitors.rest == [])
        monitor.stop()
    }

    @Test func `The login monitor keeps delaying sleep if the sound was not silenced in time`()
        throws
    {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)

        try login.send("sleep true")
        #expect(try states.next() == Self.sleeping)
        try login.send("sleep false")
        #expect(try states.next() == Self.active)
        monitor.readyToSleep()
        try login.send("sleep true")
        #expect(try states.next() == Self.sleeping)
        #expect(login.inhibitors.rest == [])
        monitor.readyToSleep()

        #expect(try login.inhibitors.next() == "released sleep")
        monitor.stop()
    }

    @Test func `The login monitor notices a sleep that began before it started`() throws {
        let login = try MockLogin()
        try login.send("add_session c1 active")
        try login.send("sleep true")
        let states = Inbox<LoginState>()

        let monitor = monitor(of: login, .init(session: "c1"), states)

        #expect(try states.next() == Self.sleeping)
        monitor.stop()
        try login.send("update c1 IdleHint false")
        #expect(login.inhibitors.rest == [])
    }

    @Test func `The login monitor trusts only the login manager`() throws {
        let (login, monitor, states) = try started()

        try login.send("forge_sleep")
        try login.send("update c1 Active false")

        #expect(try states.next() == Self.elsewhere)
        monitor.stop()
    }

    @Test func `The login monitor survives the login manager and finds the next one`() throws {
        let (login, monitor, states) = try started()
        #expect(try login.inhibitors.next() == Self.held)

        try login.send("stop_logind")
        #expect(try states.next() == .unknown)
        #expect(try login.inhibitors.next() == "released sleep")
        try login.send("start_logind")
        #expect(try login.inhibitors.next() == Self.held)
        try login.send("add_session c1 active")
        try login.send("set_display c1")
        #expect(try states.next() == Self.active)

        monitor.stop()
    }

    @Test func `The login monitor waits for a login manager that is not there yet`() throws {
        let login = try MockLogin()
        try login.send("stop_logind")
        let states = Inbox<LoginState>()
        let monitor = monitor(of: login, .init(session: "c1"), states)

        try login.send("start_logind")
        try login.send("sleep true")
        let asleep = try states.next()

        #expect(asleep == LoginState(session: nil, isSleeping: true))
        monitor.stop()
    }

    @Test func `The login monitor reconnects to a lost bus`() throws {
        let (login, monitor, states) = try started(
            reconnectDelays: Array(repeating: 0.05, count: 1_000))

        try login.send("kill_bus")
        let lost = try states.next()
        try login.send("start_bus")
        try login.send("sleep true")
        let found = try states.next()

        #expect(lost == .unknown)
        #expect(found == LoginState(session: nil, isSleeping: true))
        monitor.stop()
    }

    @Test func `The login monitor gives up on a bus that does not come back`() throws {
        let (login, monitor, states) = try started(reconnectDelays: [0, 0])

        try login.send("kill_bus")

        #expect(try states.next() == .unknown)
        monitor.waitUntilEnded()
        #expect(states.rest == [])
    }

    @Test(arguments: ["unix:path=/nonexistent/bus", "nonsense", ""])
    func `The login monitor ends if there is no bus, and reports nothing`(address: String) {
        let states = Inbox<LoginState>()

        let monitor = LoginMonitor(.init(address: address)) { states.put($0) }
        monitor.waitUntilEnded()
        monitor.readyToSleep()
        monitor.stop()

        #expect(states.rest == [])
    }

    @Test func `The login monitor reports once, if asked to, that nothing is known`() {
        let states = Inbox<LoginState>()
        var configuration = LoginMonitor.Configuration(address: "unix:path=/nonexistent/bus")
        configuration.reportsUnknown = true

        let monitor = LoginMonitor(configuration) { states.put($0) }
        monitor.waitUntilEnded()
        monitor.stop()

        #expect(states.rest == [.unknown])
    }

    @Test func `The login monitor stops at once if a bus accepts connections but never answers`()
        throws
    {
        let socket = try SilentSocket()
        let states = Inbox<LoginState>()
        let monitor = LoginMonitor(.init(address: socket.address)) { states.put($0) }
        socket.waitForConnection()

        monitor.stop()

        #expect(states.rest == [])
    }

    @Test func `The login monitor stops while it waits for a retry`() throws {
        let (login, monitor, states) = try started(reconnectDelays: [1_000])
        try login.send("kill_bus")
        #expect(try states.next() == .unknown)

        monitor.stop()

        #expect(states.rest == [])
    }

    @Test func `The login monitor waits for the bus without a timer while nothing happens`() async {
        // Other tests of the same process have threads of that name.
        await #expect(processExitsWith: .success) {
            let (login, monitor, states) = try `The login monitor`().started()
            // By then all calls, whose replies it awaits with a timeout, are done.
            try login.send("update c1 LockedHint true")
            #expect(try states.next() == `The login monitor`.locked)

            let wait = try Threads.waitForPoll(of: "login")

            #expect(wait.timeout == "0x0")
            monitor.stop()
        }
    }

    /// A started monitor of the active session c1, after its first report.
    private func started(
        reconnectDelays: [Double] = []
    ) throws -> (login: MockLogin, monitor: LoginMonitor, states: Inbox<LoginState>) {
        let login = try MockLogin()
        try login.send("add_session c1 active")
        let states = Inbox<LoginState>()
        let identity = LoginIdentity(session: "c1", process: nil)
        let monitor = monitor(of: login, identity, states, reconnectDelays)
        #expect(try states.next() == Self.active)
        return (login, monitor, states)
    }

    @Test func `The login monitor does not delay sleep if nobody wants that`() throws {
        let login = try MockLogin()
        try login.send("add_session c1 active")
        let states = Inbox<LoginState>()
        let configuration = LoginMonitor.Configuration(
            identity: .init(session: "c1", process: nil), address: login.address,
            delaysSleep: false)
        let monitor = LoginMonitor(configuration) { states.put($0) }
        #expect(try states.next() == Self.active)

        // It asks for inhibitors before it waits for the next change.
        try login.send("update c1 LockedHint true")
        #expect(try states.next() == Self.locked)
        monitor.stop()

        #expect(login.inhibitors.rest == [])
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
