package import UndersongAudioSession
package import UndersongBackground
package import UndersongPlayback
package import UndersongStore

/// The settings, the status with its reasons, and the history.
extension PlayerService {
    /// The player's settings.
    package var settings: PlayerSettings { get async { await session.player.settings } }

    /// Changes settings and returns all of them. Throws if a value is out of range, or if they are in
    /// effect now and would be lost with the process.
    package func set(_ change: SettingsChange) async throws(ServiceError) -> PlayerSettings {
        try await apply(change)
        await session.flush()
        // Without a folder nothing is ever kept.
        if change != SettingsChange(), let trouble = store.trouble, trouble.code != .noFolder {
            throw ServiceError(
                .notPossible, "keep the settings",
                "\(trouble.reason); they are in effect until the service ends")
        }
        return await settings
    }

    /// Changes settings, which become durable later. Throws if a value is out of range.
    func apply(_ change: SettingsChange) async throws(ServiceError) {
        if let problem = change.problem { throw ServiceError(problem) }
        await session.player.set { change.apply(to: &$0) }
    }

    /// What the player is doing.
    package var status: PlayerStatus {
        get async { status(await session.report) }
    }

    /// What the session says of itself.
    package var report: SessionReport { get async { await session.report } }

    private func status(_ report: SessionReport) -> PlayerStatus {
        var status = report.player
        status.suspended = isSuspended
        status.sleep = sleepReport(report)
        return status
    }

    /// Why there is or is no sound.
    package var explanation: Explanation {
        get async {
            let report = await session.report
            let connected = Dictionary(
                uniqueKeysWithValues: clients.map { ($0.key.number, $0.value.client) })
            return Explanation(
                report: report, status: status(report),
                hostClients: host.clients.map { client in
                    Explanation.HostClient(
                        name: connected[client.identifier]?.name,
                        process: connected[client.identifier]?.process, state: client.state,
                        source: client.source)
                }, hostOverride: host.override, login: host.login,
                tasks: tasks.account.identifiers.compactMap { tasks.names[$0] },
                timeRemaining: tasks.timeRemaining,
                sound: await explanation(of: report.output),
                locations: await locations.flatMap { $0.isOfInterest ? $0 : nil },
                pushes: await pushReports.flatMap { $0.hasTrouble ? $0 : nil },
                storeTrouble: store.trouble)
        }
    }

    /// The playback history, latest first; at most `limit` entries.
    package func history(limit: Int) async -> [HistoryEntry] {
        await store.history(limit: limit)
    }
}

extension ServiceError {
    /// The error for a change of settings that was not made.
    init(_ problem: SettingProblem) {
        switch problem {
        case .outOfRange(let noun, let value, let range):
            self.init(
                .invalidValue, "set the \(noun) to \(value)",
                "it is from \(range.lowerBound) to \(range.upperBound)")
        case .unknown(let noun, let word, let words): self = .unknown(noun, word, words)
        case .noStep: self.init(.invalidValue, "change a setting", "the number is not valid")
        }
    }
}
