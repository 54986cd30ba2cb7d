import Synchronization
package import UndersongBase

/// The player that an `MPRISServer` shows and controls. Its methods are called on the bus's thread
/// and must not block.
package protocol MPRISPlayer: AnyObject, Sendable {
    /// The bus is connected: from now on, call `update` whenever the player changes.
    func begin()
    /// Calls `update` with the current state, then `done`. May be called on any thread.
    func refresh(_ done: @escaping @Sendable () -> Void)
    /// Performs a command, has the resulting state shown, and then calls `done`, with an error if
    /// it failed. May be called on any thread.
    func perform(
        _ command: MediaPlayerCommand, _ done: @escaping @Sendable (BusError?) -> Void)
}

/// Shows a player to the desktop by MPRIS 2.2, and lets the desktop control it.
///
/// Properties are answered from the last state shown, so that callers, however many, never reach
/// the player. Only a position older than 50 ms is asked for again, once for all waiting callers.
/// Any thread may call it.
package final class MPRISServer: BusObject {
    private struct Shown {
        var state = MediaPlayerState()
        /// True if a state has been shown since the bus connected.
        var isThere = false
        /// Called when the position is known.
        var waiting: [@Sendable () -> Void] = []
        var player: (any MPRISPlayer)?
    }

    private let names: [String]
    private let bus: BusService
    private let clock: any HostClock
    private let shown = Mutex(Shown())

    /// Creates a server that takes the first free name of `names` on the bus.
    package init(names: [String], bus: BusService, clock: any HostClock) {
        self.names = names
        self.bus = bus
        self.clock = clock
    }

    /// Shows `player` as soon as the bus is connected.
    package func start(_ player: any MPRISPlayer) {
        shown.withLock { $0.player = player }
        bus.start(self, threadName: "mpris")
    }

    /// Stops the server; the bus no longer calls the player once this returns.
    package func stop() {
        bus.stop()
        shown.withLock { $0.player = nil }
    }

    /// True if the bus is connected.
    package var isConnected: Bool { bus.isConnected }

    /// Tries to connect again if there was no bus.
    package func lookAgain() { bus.lookAgain() }

    /// Shows the player's new state.
    package func update(_ state: MediaPlayerState) {
        // Under the lock, so that signals leave in the order of the states.
        shown.withLock { shown in
            if shown.isThere {
                bus.emit(shown.state.signals(to: state))
            } else {
                bus.offer(names)
            }
            shown.state = state
            shown.isThere = true
        }
    }

    // MARK: The bus

    package func busCame() {
        // A state shown before the bus connected has not requested a name.
        let player = shown.withLock { shown in
            shown.isThere = false
            return shown.player
        }
        player?.begin()
    }

    package func busWent() {
        shown.withLock { shown in
            shown.isThere = false
            shown.waiting = []
        }
    }

    package func receive(_ call: BusCall) {
        let (reaction, player) = shown.withLock { ($0.state.reaction(to: call), $0.player) }
        switch reaction {
        case .answer(let values): bus.answer(call, values)
        case .refuse(let error): bus.refuse(call, error)
        case .answerPosition:
            whenPositionIsKnown { server, state, position in
                server.bus.answer(call, [.variant(.int64(position))])
            }
        case .answerPlayerProperties:
            whenPositionIsKnown { server, state, position in
                var properties = state.properties(of: .player)
                properties["Position"] = .int64(position)
                server.bus.answer(call, [.dictionary(properties)])
            }
        case .perform(let command):
            player?.perform(command) { [bus] error in
                if let error { bus.refuse(call, error) } else { bus.answer(call, []) }
            }
        }
    }

    /// Calls `body` with the state and the current position, at once if that is known.
    private func whenPositionIsKnown(
        _ body: @escaping @Sendable (MPRISServer, MediaPlayerState, Int64) -> Void
    ) {
        let now = clock.now
        let answer = { @Sendable [self] in
            let state = shown.withLock(\.state)
            body(self, state, state.position(at: clock.now))
        }
        let (isKnown, refreshing) = shown.withLock { shown -> (Bool, (any MPRISPlayer)?) in
            guard shown.state.position.isStale(at: now) else { return (true, nil) }
            shown.waiting.append(answer)
            return (false, shown.waiting.count == 1 ? shown.player : nil)
        }
        if isKnown { return answer() }
        refreshing?.refresh { [weak self] in
            let waiting = self?.shown.withLock { shown in
                defer { shown.waiting = [] }
                return shown.waiting
            }
            for answer in waiting ?? [] { answer() }
        }
    }
}
