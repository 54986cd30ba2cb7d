import TestSupport
import Testing
import UndersongBackground
import UndersongLinuxPlatform

/// Keeping the machine from going to sleep by itself, tested with a mock of logind.
@Suite(.blockingThreads, .serialized) struct `A machine's automatic sleep` {
    private static let delay =
        "inhibited sleep|Undersong|The sound is put away before the machine sleeps|delay"
    private static let block = "inhibited idle:sleep|Undersong|Music is playing|block"

    @Test func `Automatic sleep is inhibited exactly while requested, every time`() throws {
        let (login, monitor) = try started()
        #expect(login.inhibitors.rest == [])

        for _ in 0..<2 {
            monitor.preventIdleSleep(true)
            #expect(try login.inhibitors.next() == Self.block)
            try settle(login)
            monitor.preventIdleSleep(false)
            #expect(try login.inhibitors.next() == "released idle:sleep")
        }

        try settle(login)
        #expect(login.inhibitors.rest == [])
        monitor.stop()
    }

    @Test func `Automatic sleep is inhibited by one inhibitor, however often that is requested`()
        throws
    {
        let (login, monitor) = try started()

        for _ in 0..<3 { monitor.preventIdleSleep(true) }
        #expect(try login.inhibitors.next() == Self.block)
        try settle(login)
        monitor.preventIdleSleep(false)
        #expect(try login.inhibitors.next() == "released idle:sleep")

        try settle(login)
        #expect(login.inhibitors.rest == [])
        monitor.stop()
    }

    @Test func `Automatic sleep is inhibited again after the login manager was replaced`() throws {
        let (login, monitor) = try started()
        monitor.preventIdleSleep(true)
        #expect(try login.inhibitors.next() == Self.block)
        try settle(login)

        try login.send("stop_logind")
        let released = Set([try login.inhibitors.next(), try login.inhibitors.next()])
        try login.send("start_logind")
        let held = [try login.inhibitors.next(), try login.inhibitors.next()]

        #expect(released == ["released sleep", "released idle:sleep"])
        #expect(held == [Self.delay, Self.block])
        monitor.stop()
    }

    @Test func `Automatic sleep is not inhibited by requests before there was a login manager`()
        throws
    {
        let (login, monitor) = try started()
        try login.send("stop_logind")
        #expect(try login.inhibitors.next() == "released sleep")

        monitor.preventIdleSleep(true)
        monitor.preventIdleSleep(false)
        try login.send("start_logind")
        let held = try login.inhibitors.next()
        // By then it has received everything that it needs from the new one.
        try login.send("sleep true")
        while try !states.next().isSleeping {}

        #expect(held == Self.delay)
        #expect(login.inhibitors.rest == [])
        monitor.stop()
    }

    @Test func `Automatic sleep is prevented by not being idle if inhibiting it is not permitted`()
        throws
    {
        let (login, monitor) = try started()
        try login.send("refuse_sleep")

        monitor.preventIdleSleep(true)

        #expect(try login.inhibitors.next() == "inhibited idle|Undersong|Music is playing|block")
        monitor.stop()
        #expect(try login.inhibitors.next().hasPrefix("released"))
    }

    @Test func `Sleep may still be forced, once the sound is silenced`() throws {
        let (login, monitor) = try started()
        monitor.preventIdleSleep(true)
        #expect(try login.inhibitors.next() == Self.block)
        try settle(login)

        try login.send("sleep true")
        try settle(login)
        monitor.preventIdleSleep(false)
        monitor.readyToSleep()
        let released = [try login.inhibitors.next(), try login.inhibitors.next()]
        try login.send("sleep false")
        let held = try login.inhibitors.next()

        #expect(Set(released) == ["released sleep", "released idle:sleep"])
        #expect(held == Self.delay)
        monitor.stop()
    }

    @Test func `Automatic sleep is allowed again when the monitor ends`() throws {
        let (login, monitor) = try started()
        monitor.preventIdleSleep(true)
        #expect(try login.inhibitors.next() == Self.block)
        try settle(login)

        monitor.stop()

        let released = Set([try login.inhibitors.next(), try login.inhibitors.next()])
        #expect(released == ["released sleep", "released idle:sleep"])
    }

    private let states = Inbox<LoginState>()

    /// A monitor that holds its usual inhibitor.
    private func started() throws -> (login: MockLogin, monitor: LoginMonitor) {
        let login = try MockLogin()
        try login.send("add_session c1 active")
        let configuration = LoginMonitor.Configuration(
            identity: LoginIdentity(session: "c1", process: nil), address: login.address)
        let monitor = LoginMonitor(configuration) { [states] in states.put($0) }
        #expect(try login.inhibitors.next() == Self.delay)
        _ = try states.next()
        try settle(login)
        return (login, monitor)
    }

    /// Returns when the monitor has handled all requests and received its inhibitors, which the
    /// mock reports earlier.
    private func settle(_ login: MockLogin) throws {
        for isLocked in [true, false] {
            try login.send("update c1 LockedHint \(isLocked)")
            while try states.next().session?.isLocked != isLocked {}
        }
    }
}
