package import UndersongAudioSession
package import UndersongBackground
package import UndersongPlayback
import UndersongStore

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

    /// The player's status.
    package var status: PlayerStatus {
        get async { status(await session.report) }
    }

    /// The session's report.
    package var report: SessionReport { get async { await session.report } }

    private func status(_ report: SessionReport) -> PlayerStatus {
        var status = report.player
        status.suspended = isSuspended
        for feature in features { feature.add(to: &status, report) }
        return status
    }

    /// The reasons for sound or silence.
    package var why: Why {
        get async {
            let report = await session.report
            let connected = Dictionary(
                uniqueKeysWithValues: clients.map { ($0.key.number, $0.value.client) })
            var why = Why(
                status: status(report),
                suppressions: report.decision.reasons.map {
                    Why.Suppression(
                        reason: Open(word: $0.rawValue),
                        since: report.suppressedSince[$0] ?? report.hostTime)
                }, now: report.hostTime, hostSince: report.applicationStateSince,
                clients: host.clients.map { client in
                    let known = connected[client.identifier]
                    return Why.Client(
                        name: known?.name ?? "unknown", process: known?.process ?? 0,
                        state: client.state, source: client.source)
                }, category: report.category,
                audioCapability: report.decision.hasAudioCapability,
                capabilitySource: report.decision.capabilitySource,
                output: report.output.description, sound: await sound(of: report.output))
            why.hostOverride = host.override
            why.digitalSilenceSince = report.digitalSilenceSince
            why.loginSession = host.login.name
            why.stateTrouble = store.trouble?.description
            for feature in features { await feature.add(to: &why, self) }
            return why
        }
    }

    /// The playback history, latest first; at most `limit` entries.
    package func history(limit: Int) async -> [PlayedEntry] {
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
                "it must be from \(range.lowerBound) to \(range.upperBound)")
        case .unknown(let noun, let word, let words): self = .unknown(noun, word, words)
        case .noStep: self.init(.invalidValue, "change a setting", "the number is not valid")
        }
    }
}

extension OutputDestination {
    /// The text shown by `undersong why`.
    fileprivate var description: String {
        switch self {
        case .pulse: "pulse" + place
        case .pulseSimple: "pulse-simple" + place
        case .null: "null"
        case .wav(let path): "wav \(path)"
        }
    }

    private var place: String {
        let server = (server ?? nil).map { " on \($0)" } ?? ""
        return server + (device.map { ", sink \($0)" } ?? "")
    }
}
