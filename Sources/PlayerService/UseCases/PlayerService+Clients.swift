import AudioSession

/// A client that is connected.
struct ConnectedClient {
    let client: any PlayerClient
    /// The run that it follows.
    var followedRun: Int?
}

/// Who is there, who follows which run, and the end of a service that nobody needs.
extension PlayerService {
    /// Somebody is there, and the service stays as long.
    package func connect(_ client: any PlayerClient) {
        clients[client.id] = ConnectedClient(client: client)
        idleTimer?.cancel()
        idleTimer = nil
    }

    /// A client has gone: its tasks are over, and its state counts no more.
    package func disconnect(_ client: ClientID) async {
        guard clients.removeValue(forKey: client) != nil else { return }
        for task in tasks.tasks(of: client) { await endTask(task) }
        if host.detach(client.number) { await hostChanged() }
        considerLeaving()
    }

    /// The client follows `run`, whose end is reported to it; that may have come already.
    func follow(_ run: Int, _ client: ClientID) {
        clients[client]?.followedRun = run
        if let end = lastEnd, end.run >= run { reportEnd(end) }
    }

    /// What was there to play is over, which is reported to those who follow it, after the last event.
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

    /// Leaves in a while when nobody is there and nothing is left to do.
    func considerLeaving() {
        guard let seconds = configuration.idleSeconds, clients.isEmpty, idleTimer == nil
        else { return }
        idleTimer = configuration.clock.wake(after: seconds, leeway: 100_000_000) { [weak self] in
            self?.post { await $0.leaveIfIdle() }
        }
    }

    /// A run that is not over, playing, paused or suspended, is a reason to stay.
    private func leaveIfIdle() async {
        idleTimer = nil
        guard clients.isEmpty, tasks.account.identifiers.isEmpty,
            await !session.report.isRunning
        else { return }
        whenIdle()
    }
}
