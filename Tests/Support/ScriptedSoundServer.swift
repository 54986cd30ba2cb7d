internal import Synchronization
package import UndersongBackground

/// A sound server that is what a test says, and keeps what is asked of it.
package final class ScriptedSoundServer: SoundServer {
    /// A call of it.
    package enum Request: Equatable, Sendable {
        case prepare
        case announce(SessionAnnouncement)
        case move(UInt32, to: String)
        case setVolume(UInt32, Float)
    }

    /// Its answer to the request to move a stream.
    package enum Moving: Sendable {
        case atOnce
        /// Nothing before the script says so.
        case later
        case refused
    }

    private struct State {
        var handler: (@Sendable (SoundServerEvent) -> Void)?
        var answerHandler: (@Sendable () -> Void)?
        /// Its state; nil if it does not answer.
        var server: SoundServerState?
        var announcement: SessionAnnouncement?
        var requests: [Request] = []
    }

    package let address: String?
    private let state: Mutex<State>
    /// Another connection to the same server, which sees what is announced here.
    private let peer: ScriptedSoundServer?
    private let moving: Moving

    /// Makes one that answers as `server`, nil: not at all. `peer` sees what is announced.
    package init(
        _ server: SoundServerState?, address: String? = nil, peer: ScriptedSoundServer? = nil,
        moving: Moving = .atOnce
    ) {
        self.address = address
        self.peer = peer
        self.moving = moving
        state = Mutex(State(server: server))
    }

    /// The calls of it, in order.
    package var requests: [Request] { state.withLock(\.requests) }

    // MARK: The script

    /// It is like this from now on.
    package func change(_ change: (inout SoundServerState) -> Void) {
        let now = state.withLock { state -> SoundServerState? in
            guard var server = state.server else { return nil }
            change(&server)
            state.server = server
            return server
        }
        if let now { report(.changed(now)) }
    }

    /// Calls `handler` as soon as it has answered, or said that it does not.
    package func whenAnswered(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.answerHandler = handler }
    }

    /// Its connection is lost.
    package func lose(reason: String = "It is gone") {
        state.withLock { $0.server = nil }
        report(.lost(reason: reason, hostTime: 0))
    }

    /// It answers again.
    package func connect(_ server: SoundServerState) {
        let announcement = state.withLock { state in
            state.server = server
            return state.announcement
        }
        report(.connected(server))
        if let announcement { peer?.see(announcement) }
    }

    private func report(_ event: SoundServerEvent) {
        state.withLock(\.handler)?(event)
    }

    private func see(_ session: SessionAnnouncement) {
        change { server in
            server.sessions.removeAll { $0.identifier == session.identifier }
            server.sessions.append(session)
        }
    }

    // MARK: The port

    package func prepare() { state.withLock { $0.requests.append(.prepare) } }

    package var isListening: Bool { state.withLock { $0.handler != nil } }

    package func listen(_ handler: @escaping @Sendable (SoundServerEvent) -> Void) {
        let (server, announcement) = state.withLock { state in
            state.handler = handler
            return (state.server, state.announcement)
        }
        handler(server.map { .connected($0) } ?? .unavailable(reason: "Connection refused"))
        state.withLock(\.answerHandler)?()
        if server != nil, let announcement { peer?.see(announcement) }
    }

    package func announce(_ session: SessionAnnouncement) {
        let isSeen = state.withLock { state in
            state.announcement = session
            state.requests.append(.announce(session))
            return state.handler != nil && state.server != nil
        }
        if isSeen { peer?.see(session) }
    }

    package func ping(deadline: Int64) async -> Bool { state.withLock { $0.server != nil } }

    package func move(
        _ stream: UInt32, to device: String, completion: @escaping @Sendable (Bool) -> Void
    ) {
        ask(.move(stream, to: device), completion) { [moving] server in
            guard moving != .refused else { return false }
            guard moving == .atOnce else { return true }
            guard let target = server.devices.first(where: { $0.name == device }),
                let place = server.streams.firstIndex(where: { $0.index == stream })
            else { return false }
            server.streams[place].device = target.index
            return true
        }
    }

    package func setVolume(
        of stream: UInt32, _ volume: Float, completion: @escaping @Sendable (Bool) -> Void
    ) {
        ask(.setVolume(stream, volume), completion) { server in
            guard let place = server.streams.firstIndex(where: { $0.index == stream }) else {
                return false
            }
            server.streams[place].volume = volume
            return true
        }
    }

    private func ask(
        _ request: Request, _ completion: (Bool) -> Void,
        _ change: (inout SoundServerState) -> Bool
    ) {
        let (isDone, now) = state.withLock { state in
            state.requests.append(request)
            guard var server = state.server else { return (false, nil as SoundServerState?) }
            let isDone = change(&server)
            state.server = server
            return (isDone, isDone ? server : nil)
        }
        completion(isDone)
        if let now { report(.changed(now)) }
    }
}
