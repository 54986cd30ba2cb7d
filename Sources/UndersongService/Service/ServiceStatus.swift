import AudioSession
import Control
import Playback
import Store

/// The settings as clients see and change them, and what is played and why.
extension ServiceCore {
    func set(_ change: Settings.Change) async throws(ControlError) -> Settings {
        if let problem = change.problem { throw ControlError(problem) }
        await session.player.set { change.apply(to: &$0) }
        await session.flush()
        return Settings(await session.player.settings)
    }

    var status: Status {
        get async {
            let report = await session.report
            return report.status(isSuspended: isSuspended, sleep: sleepState(report))
        }
    }

    var why: Why {
        get async {
            let report = await session.report
            return Why(
                status: report.status(isSuspended: isSuspended, sleep: sleepState(report)),
                suppressions: report.decision.reasons.map {
                    Why.Suppression(
                        reason: $0.rawValue, since: report.suppressedSince[$0] ?? report.hostTime)
                }, now: report.hostTime, hostSince: report.applicationStateSince,
                clients: host.clients.map { client in
                    Why.Client(
                        name: clients[client.identifier]?.name ?? "unknown",
                        process: clients[client.identifier]?.connection.process ?? 0,
                        state: client.state.name, source: client.source)
                }, hostOverride: host.override?.name, loginSession: host.login.name,
                category: report.category.rawValue,
                audioCapability: report.decision.hasAudioCapability,
                capabilitySource: report.decision.capabilitySource,
                output: report.output.description,
                tasks: tasks.account.identifiers.compactMap { tasks.names[$0] },
                sound: await whySound(report.output), stateTrouble: store.trouble?.description,
                backgroundTimeRemaining: tasks.timeRemaining)
        }
    }
}

extension SessionReport {
    func status(isSuspended: Bool, sleep: SleepState?) -> Status {
        var status = Status(
            status: status.name, reason: status.reason, wantsPlayback: wantsPlayback,
            item: current.map { Control.QueueEntry($0, at: place) }, place: place, count: count,
            position: WireTime(position), settings: Settings(settings),
            host: applicationState.name, hostSource: applicationStateSource,
            suspended: isSuspended, sleep: sleep)
        if isDeviceSilent { status.deviceSilent = true }
        return status
    }
}

extension OutputDestination {
    /// As `undersong why` names it.
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

extension ControlError {
    /// Why a change of the settings was not made.
    fileprivate init(_ problem: SettingProblem) {
        switch problem {
        case .outOfRange(let noun, let value, let range):
            self.init(
                .invalidParams,
                "cannot set the \(noun) to \(value): It is from \(range.lowerBound) to "
                    + "\(range.upperBound)")
        case .unknown(let noun, let word, let words): self = .unknown(noun, word, words)
        case .noStep:
            self.init(.invalidParams, "cannot change a setting: The number is none")
        }
    }
}
