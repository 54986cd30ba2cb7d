import UndersongAudioSession

/// A connected client.
struct ConnectedClient {
    let client: any PlayerClient
    /// The run that the client follows.
    var followedRun: Int?
}

/// Connected clients, the runs that they follow, and the exit of an unused service.
extension PlayerService {
    /// Seconds from the last event to rest, and nanoseconds by which that may be later: a service
    /// that is suspended again does nothing from 0.1 s on.
    private static let (restDelay, restLeeway) = (0.03, 20_000_000 as Int64)

    /// Connects a client; the service stays at least until it disconnects.
    package func connect(_ client: any PlayerClient) {
        clients[client.id] = ConnectedClient(client: client)
        idleTimer?.cancel()
        restTimer?.cancel()
        (idleTimer, restTimer) = (nil, nil)
    }

    /// Disconnects a client: its tasks end, and its state no longer counts.
    package func disconnect(_ client: ClientID) async {
        guard clients.removeValue(forKey: client) != nil else { return }
        for feature in features { await feature.clientLeft(client, self) }
        if host.detach(client.number) { await hostChanged() }
        considerLeaving()
    }

    /// Makes the client follow `run` and be notified of its end, which may have come already.
    func follow(_ run: Int, _ client: ClientID) {
        clients[client]?.followedRun = run
        if let end = lastEnd, end.run >= run { reportEnd(end) }
    }

    /// Handles the end of a run, and notifies those that follow it after the last event.
    func runEnded(_ end: SessionEnd) async {
        lastEnd = end
        reportEnd(end)
        if audioOverride != nil, await session.report.run == end.run {
            audioOverride = nil
            await declare()
        }
        considerLeaving()
    }

    private func reportEnd(_ end: SessionEnd) {
        for (id, connected) in clients {
            guard let run = connected.followedRun, run <= end.run else { continue }
            clients[id]?.followedRun = nil
            connected.client.runEnded(run, end)
        }
    }

    /// Exits after a delay if no client is connected and nothing is left to do.
    func considerLeaving() {
        considerRest()
        guard let seconds = configuration.idleSeconds, clients.isEmpty, idleTimer == nil
        else { return }
        idleTimer = configuration.clock.wake(after: seconds, leeway: 100_000_000) { [weak self] in
            self?.post { await $0.leaveIfIdle() }
        }
    }

    /// Looks a moment later, when what is still to be done after the last event is done.
    private func considerRest() {
        guard let whenAtRest = configuration.whenAtRest, clients.isEmpty else { return }
        restTimer?.cancel()
        restTimer = configuration.clock.wake(
            after: Self.restDelay, leeway: Self.restLeeway
        ) { [weak self] in
            self?.post { if await $0.isAtRest { whenAtRest() } }
        }
    }

    /// True if nothing is done until a client or a timer comes, or something that was awaited.
    private var isAtRest: Bool {
        get async {
            guard clients.isEmpty, !features.contains(where: { $0.isBusy }),
                case .paused = await session.report.status
            else { return false }
            return true
        }
    }

    /// A run that is not over, whether playing, paused or suspended, is a reason to stay, as is a
    /// background task that is wanted.
    private func leaveIfIdle() async {
        idleTimer = nil
        guard clients.isEmpty,
            !features.contains(where: { $0.isNeeded }), await !session.report.isRunning
        else { return }
        whenIdle()
    }
}
