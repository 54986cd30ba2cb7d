import Synchronization
package import UndersongBase

/// A track as a source of locations, at any speed. Stopped in between, it continues from there.
package final class ReplaySource: LocationSource {
    package typealias Handler = @Sendable (LocationSourceEvent) -> Void

    private struct State {
        var replay: TrackReplay
        var handler: Handler?
        var timer: HostTimer?
        /// Identifies the timer; one that was replaced does nothing.
        var turn = 0
    }

    package let kind = LocationSourceKind.replay
    /// The file's name, for display.
    package let name: String
    private let clock: any HostClock
    private let whenOver: @Sendable () -> Void
    private let state: Mutex<State>

    /// Creates a source with a `speed` of more than 0. `whenOver` is called once, on a thread of the clock's, after the last
    /// fix.
    package init(
        _ track: Track, name: String, speed: Double, clock: any HostClock,
        whenOver: @escaping @Sendable () -> Void
    ) {
        self.name = name
        self.clock = clock
        self.whenOver = whenOver
        state = Mutex(State(replay: TrackReplay(track, speed: speed)))
    }

    /// The file and its progress.
    package var status: LocationStatus.Replay {
        let replay = state.withLock { $0.replay }
        return LocationStatus.Replay(
            name: name, speed: replay.speed, done: replay.count, count: replay.track.fixes.count,
            skipped: replay.track.skippedCount, duration: replay.track.duration)
    }

    package func start(_ demand: LocationDemand, _ handler: @escaping Handler) {
        // A track has its fixes, also while the next one is not due.
        handler(.state(.available(isSteady: false)))
        state.withLock { state in
            state.handler = handler
            state.replay.begin(at: clock.now)
        }
        schedule()
    }

    /// Does nothing: a track has the fixes that it has.
    package func change(_ demand: LocationDemand) {}

    package func stop() {
        state.withLock { state in
            state.handler = nil
            state.turn += 1
            state.timer?.cancel()
            state.timer = nil
            state.replay.end(at: clock.now)
        }
    }

    /// Schedules the next fix. A clock may call at once what is due.
    private func schedule() {
        let next = state.withLock { state -> (time: Int64, turn: Int)? in
            guard state.handler != nil, let time = state.replay.nextDue else { return nil }
            state.turn += 1
            return (time, state.turn)
        }
        guard let next else { return }
        let timer = clock.wake(at: next.time, leeway: 0) { [weak self] in self?.advance(next.turn) }
        state.withLock { if $0.turn == next.turn { $0.timer = timer } }
    }

    private func advance(_ turn: Int) {
        let due = state.withLock {
            state -> (Handler, [LocationFix], isOver: Bool)? in
            guard let handler = state.handler, state.turn == turn else { return nil }
            let fixes = state.replay.popDue(at: clock.now)
            return (handler, fixes, state.replay.isOver)
        }
        guard let (handler, fixes, isOver) = due else { return }
        let arrival = clock.secondsSinceBoot
        for var fix in fixes {
            fix.arrival = arrival
            handler(.fix(fix))
        }
        if isOver { whenOver() } else { schedule() }
    }
}
