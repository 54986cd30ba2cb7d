package import Testing
package import UndersongBackground

/// Checks that a connection to a sound server keeps the rules of its port.
/// - Parameters:
///   - server: one that answers and has a device, to which nobody listens yet.
///   - peer: another connection to the same server.
///   - unreachable: one that does not answer.
///   - restart: ends the server that answers and begins it again.
package func expectSoundServerContract(
    _ server: any SoundServer, peer: any SoundServer, unreachable: any SoundServer,
    sourceLocation: SourceLocation = #_sourceLocation, restart: () throws -> Void
) async throws {
    let (events, peers, failures) = (
        Inbox<SoundServerEvent>(), Inbox<SoundServerEvent>(), Inbox<SoundServerEvent>()
    )
    func expect(_ isSo: Bool, _ rule: Comment) {
        #expect(isSo, rule, sourceLocation: sourceLocation)
    }

    var session = SessionAnnouncement(identifier: "contract", name: "Contract")
    (session.isActive, session.activationTime) = (true, 1)
    server.announce(session)
    expect(!server.isListening, "nobody listens at first")
    server.listen { events.put($0) }
    peer.listen { peers.put($0) }
    unreachable.listen { failures.put($0) }
    expect(server.isListening, "somebody listens from then on")

    let first = try events.next()
    expect(first.state?.devices.isEmpty == false, "the first event is the server with its devices")
    expect(try failures.next().isUnavailable, "the first event is that it does not answer")
    expect(await server.ping(), "a server that is there answers")
    expect(await !unreachable.ping(), "one that is not does not")

    for (connection, stream) in [(server, UInt32.max - 1), (unreachable, 1)] {
        let moved = Inbox<Bool>()
        connection.move(stream, to: "no such device") { moved.put($0) }
        expect(!(try moved.next()), "no stream that is not there is moved")
        connection.setVolume(of: stream, 0.5) { moved.put($0) }
        expect(!(try moved.next()), "no stream that is not there has a volume")
        expect(moved.rest.isEmpty, "each is answered once")
    }

    try awaitState(peers) { $0.sessions.contains(session) }
    session.isActive = false
    server.announce(session)
    try awaitState(peers) { $0.sessions.contains(session) }

    try restart()
    while true { if case .lost = try events.next() { break } }
    expect(try events.next().isConnection, "a server that is back is reported as a connection")
    try awaitState(peers) { $0.sessions.contains(session) }
}

private func awaitState(
    _ events: Inbox<SoundServerEvent>, where condition: (SoundServerState) -> Bool
) throws {
    while true { if let state = try events.next().state, condition(state) { return } }
}

extension SoundServerEvent {
    fileprivate var state: SoundServerState? {
        switch self {
        case .connected(let state), .changed(let state): state
        case .lost, .unavailable: nil
        }
    }

    fileprivate var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
    fileprivate var isConnection: Bool { if case .connected = self { true } else { false } }
}
