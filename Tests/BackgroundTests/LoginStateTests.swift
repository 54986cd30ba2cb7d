import Testing
import UndersongBackground

/// The login session's rows of behaviour 4, in all combinations.
@Suite struct `The login session's state` {
    typealias Session = LoginState.Session

    @Test(arguments: [
        (nil as Session?, false, nil as ApplicationState?),
        (nil, true, .inactive),
        (Session(isActive: true, isLocked: false), false, nil),
        (Session(isActive: true, isLocked: false), true, .inactive),
        (Session(isActive: true, isLocked: true), false, .inactive),
        (Session(isActive: true, isLocked: true), true, .inactive),
        (Session(isActive: false, isLocked: false), false, .background),
        (Session(isActive: false, isLocked: false), true, .background),
        (Session(isActive: false, isLocked: true), false, .background),
        (Session(isActive: false, isLocked: true), true, .background),
    ])
    func `The login session limits the host's state, above all if it is not active`(
        session: Session?, isSleeping: Bool, state: ApplicationState?
    ) {
        let login = LoginState(session: session, isSleeping: isSleeping)

        #expect(login.limit?.state == state)
    }

    @Test(arguments: [
        (nil as Session?, false, nil as String?),
        (nil, true, "sleeping"),
        (Session(isActive: true, isLocked: false), false, "active"),
        (Session(isActive: true, isLocked: false), true, "sleeping"),
        (Session(isActive: true, isLocked: true), false, "locked"),
        (Session(isActive: true, isLocked: true), true, "sleeping"),
        (Session(isActive: false, isLocked: false), false, "inactive"),
        (Session(isActive: false, isLocked: false), true, "sleeping"),
        (Session(isActive: false, isLocked: true), false, "inactive"),
        (Session(isActive: false, isLocked: true), true, "sleeping"),
    ])
    func `The login session's state has one name, or none if it is unknown`(
        session: Session?, isSleeping: Bool, name: String?
    ) {
        let login = LoginState(session: session, isSleeping: isSleeping)

        #expect(login.name == name)
    }

    @Test(
        arguments: [
            nil, Session(isActive: true, isLocked: false), Session(isActive: true, isLocked: true),
            Session(isActive: false, isLocked: true),
        ])
    func `The login session forbids playback only while the machine sleeps`(session: Session?) {
        #expect(LoginState(session: session, isSleeping: true).requiresPause)
        #expect(!LoginState(session: session, isSleeping: false).requiresPause)
    }

    @Test func `The login session has no effect while its state is unknown`() {
        let login = LoginState.unknown

        #expect(login.limit == nil)
        #expect(login.name == nil)
        #expect(!login.requiresPause)
    }
}
