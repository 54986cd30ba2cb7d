import TestSupport
import Testing
import UndersongBackground

/// The state derived from clients, user and login session (behaviour 2.7 and 4: any active one
/// wins).
@Suite struct `The host's state` {
    private static let unlocked = LoginState(session: .init(isActive: true, isLocked: false))
    private static let locked = LoginState(session: .init(isActive: true, isLocked: true))
    private static let elsewhere = LoginState(session: .init(isActive: false, isLocked: false))
    private static let elsewhereLocked = LoginState(session: .init(isActive: false, isLocked: true))
    private static let sleeping = LoginState(
        session: .init(isActive: true, isLocked: false), isSleeping: true)

    @Test(
        arguments: [
            ([], .background, "no client"),
            ([.active], .active, "client 0"),
            ([.inactive], .inactive, "client 0"),
            ([.background], .background, "client 0"),
            ([.active, .active], .active, "client 0"),
            ([.active, .inactive], .active, "client 0"),
            ([.active, .background], .active, "client 0"),
            ([.inactive, .active], .active, "client 1"),
            ([.inactive, .inactive], .inactive, "client 0"),
            ([.inactive, .background], .inactive, "client 0"),
            ([.background, .active], .active, "client 1"),
            ([.background, .inactive], .inactive, "client 1"),
            ([.background, .background], .background, "client 0"),
            ([.background, .inactive, .active], .active, "client 2"),
        ] as [([ApplicationState], ApplicationState, String)])
    func `The host's state is that of its most active client, the earliest of them`(
        clients: [ApplicationState], state: ApplicationState, source: String
    ) {
        let host = host(of: clients)

        #expect(host.state == state)
        #expect(host.source == source)
    }

    @Test(
        arguments: [
            (.active, .unknown, .active, "client 0"),
            (.active, unlocked, .active, "client 0"),
            (.active, locked, .inactive, "login session locked"),
            (.active, sleeping, .inactive, "system sleep"),
            (.active, elsewhere, .background, "login session inactive"),
            (.active, elsewhereLocked, .background, "login session inactive"),
            (.inactive, .unknown, .inactive, "client 0"),
            (.inactive, unlocked, .inactive, "client 0"),
            (.inactive, locked, .inactive, "client 0"),
            (.inactive, sleeping, .inactive, "client 0"),
            (.inactive, elsewhere, .background, "login session inactive"),
            (.inactive, elsewhereLocked, .background, "login session inactive"),
            (.background, .unknown, .background, "client 0"),
            (.background, unlocked, .background, "client 0"),
            (.background, locked, .background, "client 0"),
            (.background, sleeping, .background, "client 0"),
            (.background, elsewhere, .background, "client 0"),
            (.background, elsewhereLocked, .background, "client 0"),
            (nil, .unknown, .background, "no client"),
            (nil, unlocked, .background, "no client"),
            (nil, locked, .background, "no client"),
            (nil, sleeping, .background, "no client"),
            (nil, elsewhere, .background, "no client"),
            (nil, elsewhereLocked, .background, "no client"),
        ] as [(ApplicationState?, LoginState, ApplicationState, String)])
    func `The host's state is at most what the login session allows`(
        client: ApplicationState?, login: LoginState, state: ApplicationState, source: String
    ) {
        var host = host(of: client.map { [$0] } ?? [])

        _ = host.follow(login)

        #expect(host.state == state)
        #expect(host.source == source)
    }

    @Test(
        arguments: ApplicationState.allCases,
        [LoginState.unknown, unlocked, locked, elsewhere, elsewhereLocked, sleeping])
    func `The host's state is the user's override, whatever clients and login report`(
        state: ApplicationState, login: LoginState
    ) {
        for clients in [[], [.active], [.inactive], [.background]] as [[ApplicationState]] {
            var host = host(of: clients)
            _ = host.follow(login)

            _ = host.override(with: state)

            #expect(host.state == state)
            #expect(host.source == "undersong host")
        }
    }

    @Test(
        .rule("A5", "A8"),
        arguments: [
            (.active, .unknown, .call(application: "Ekiga"), .inactive, "call in Ekiga"),
            (.active, unlocked, .call(application: ""), .inactive, "call"),
            (.active, unlocked, .command, .inactive, "undersong interrupt"),
            (.active, locked, .command, .inactive, "login session locked"),
            (.active, elsewhere, .command, .background, "login session inactive"),
            (.inactive, unlocked, .command, .inactive, "client 0"),
            (.background, unlocked, .command, .background, "client 0"),
            (nil, .unknown, .command, .background, "no client"),
        ] as [(ApplicationState?, LoginState, InterruptionSource, ApplicationState, String)])
    func `The host's state is inactive at most during a call, and as before after it`(
        client: ApplicationState?, login: LoginState, call: InterruptionSource,
        state: ApplicationState, source: String
    ) {
        var host = host(of: client.map { [$0] } ?? [])
        _ = host.follow(login)
        let before = host.status

        let hasChanged = host.follow(call: call)
        let during = host.status
        let hasChangedBack = host.follow(call: nil)

        #expect(during == HostStatus(state: state, source: source))
        #expect(hasChanged == (during != before))
        #expect(hasChangedBack == hasChanged)
        #expect(host.status == before)
    }

    @Test func `The host's state is the user's override, whatever call there is`() {
        var host = host(of: [.background])
        _ = host.override(with: .active)

        let hasChanged = host.follow(call: .command)

        #expect(!hasChanged)
        #expect(host.status == HostStatus(state: .active, source: "undersong host"))
    }

    @Test func `The host's state follows the clients again once the override is removed`() {
        var host = host(of: [.active])

        let overridden = host.override(with: .background)
        let away = host.state
        let automatic = host.override(with: nil)

        #expect(overridden)
        #expect(away == .background)
        #expect(automatic)
        #expect(host.state == .active)
        #expect(host.source == "client 0")
        #expect(host.override == nil)
    }

    @Test(arguments: ApplicationState.allCases)
    func `The host forbids playback while the machine sleeps, even with an override`(
        state: ApplicationState
    ) {
        var host = host(of: [.active])
        _ = host.override(with: state)

        let slept = host.follow(Self.sleeping)
        let asleep = host.requiresPause
        let woken = host.follow(Self.unlocked)

        #expect(slept)
        #expect(asleep)
        #expect(woken)
        #expect(!host.requiresPause)
        #expect(host.state == state)
    }

    @Test func `The host's state follows each client as it changes, comes and goes`() {
        var host = HostClients()

        let came = host.attach(7, state: .active, source: "terminal")
        let stopped = host.attach(7, state: .background, source: "terminal")
        let later = (host.state, host.source)
        let second = host.attach(8, state: .active, source: "none")
        let front = (host.state, host.source)
        let left = host.detach(8)
        let last = host.detach(7)

        #expect([came, stopped, second, left, last] == [true, true, true, true, true])
        #expect(later == (.background, "terminal"))
        #expect(front == (.active, "none"))
        #expect((host.state, host.source) == (.background, "no client"))
        #expect(host.clients == [])
    }

    @Test func `The host's state has not changed if a report changes nothing`() {
        var host = host(of: [.active, .background])

        let again = host.attach(0, state: .active, source: "client 0")
        let other = host.attach(1, state: .inactive, source: "terminal")
        let gone = host.detach(1)
        let stranger = host.detach(9)
        let login = host.follow(Self.unlocked)
        let automatic = host.override(with: nil)

        #expect([again, other, gone, stranger, login, automatic].allSatisfy { !$0 })
    }

    @Test func `The host's state has changed if only its source has`() {
        var host = host(of: [.active, .active])

        let renamed = host.attach(0, state: .active, source: "option")
        let handed = host.detach(0)
        let said = host.override(with: .active)

        #expect([renamed, handed, said] == [true, true, true])
    }

    @Test(.rule("K1"), arguments: [nil] + ApplicationState.allCases)
    func `The host is in the background while fetches are simulated, whatever stands against it`(
        override: ApplicationState?
    ) {
        var host = host(of: [.active])
        _ = host.override(with: override)
        let before = host.status

        let changes = [host.beginSimulation(), host.beginSimulation()]
        let during = host.status
        let beside = host.statusWithoutSimulations
        let first = host.endSimulation()
        let still = host.status
        let last = host.endSimulation()

        #expect(changes == [true, false])
        #expect(during == HostStatus(state: .background, source: "simulated fetch"))
        #expect(beside == before)
        #expect(!first)
        #expect(still == during)
        #expect(last)
        #expect(host.status == before)
    }

    @Test func `The host keeps the order of clients when one reports a new state`() {
        var host = host(of: [.active, .active])

        _ = host.attach(0, state: .background, source: "terminal")
        _ = host.attach(0, state: .active, source: "terminal")

        #expect(host.clients.map(\.identifier) == [0, 1])
        #expect(host.source == "terminal")
    }

    /// A host with clients 0, 1 ... in these states, with the states' names as sources.
    private func host(of clients: [ApplicationState]) -> HostClients {
        var host = HostClients()
        for (index, state) in clients.enumerated() {
            _ = host.attach(index, state: state, source: "client \(index)")
        }
        return host
    }
}
