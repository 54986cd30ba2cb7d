import AudioSession
import Control
import Playback
import Store

/// The settings as clients see and change them, and what is played and why.
extension ServiceCore {
    func set(_ change: Settings.Change) async throws(ControlError) -> Settings {
        try change.check()
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

extension Settings {
    init(_ settings: PlayerSettings) {
        self.init(
            volume: (Double(settings.volume) * 1000).rounded() / 10, muted: settings.isMuted,
            rate: settings.rate, repeat: settings.modes.repeatMode.rawValue,
            shuffle: settings.modes.isShuffled, single: settings.modes.isSingle,
            consume: settings.modes.isConsuming, replayGain: settings.replayGain.rawValue,
            crossfade: settings.crossfade, resumeItems: settings.resumesItems,
            skipBack: settings.skipBack, outputDevice: settings.outputDevice,
            onUnplug: settings.unplugPolicy.rawValue, mixing: settings.mixing.rawValue,
            inhibit: settings.inhibitsSleep ? "sleep" : "none")
    }
}

extension Settings.Change {
    /// Errors: a value that does not exist or is out of range.
    fileprivate func check() throws(ControlError) {
        try check("volume", volume, 0...100)
        try check("rate", rate, 0.5...2)
        try check("crossfade", crossfade, 0...12)
        try check("skip-back", skipBack, 0...600)
        if let name = self.repeat, RepeatMode(rawValue: name) == nil {
            throw .unknown("repeat mode", name, RepeatMode.allCases.map(\.rawValue))
        }
        if let name = replayGain, ReplayGainMode(rawValue: name) == nil {
            throw .unknown("ReplayGain mode", name, ReplayGainMode.allCases.map(\.rawValue))
        }
        if let name = onUnplug, UnplugPolicy(rawValue: name) == nil {
            throw .unknown("unplug policy", name, UnplugPolicy.allCases.map(\.rawValue))
        }
        if let name = mixing, MixingMode(rawValue: name) == nil {
            throw .unknown("mixing mode", name, MixingMode.allCases.map(\.rawValue))
        }
        if let inhibit, !["sleep", "none"].contains(inhibit) {
            throw .unknown("inhibition", inhibit, ["sleep", "none"])
        }
        guard volumeBy?.isFinite ?? true, rateBy.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ControlError(.invalidParams, "cannot change a setting: The number is none")
        }
    }

    private func check(
        _ name: String, _ value: Double?, _ range: ClosedRange<Double>
    ) throws(ControlError) {
        guard let value, !range.contains(value) else { return }
        throw ControlError(
            .invalidParams,
            "cannot set the \(name) to \(value): It is from \(range.lowerBound) to "
                + "\(range.upperBound)")
    }

    /// The settings of a new player with this change.
    var applied: PlayerSettings {
        var settings = PlayerSettings()
        apply(to: &settings)
        return settings
    }

    fileprivate func apply(to settings: inout PlayerSettings) {
        if let volume { settings.volume = Float(volume / 100) }
        if let volumeBy { settings.volume += Float(volumeBy / 100) }
        if let muted { settings.isMuted = muted }
        if toggleMuted == true { settings.isMuted.toggle() }
        if let rate { settings.rate = rate }
        if let rateBy { settings.rate *= rateBy }
        if let mode = self.repeat.flatMap(RepeatMode.init) { settings.modes.repeatMode = mode }
        if nextRepeat == true { settings.modes.repeatMode = settings.modes.repeatMode.next }
        if let shuffle { settings.modes.isShuffled = shuffle }
        if toggleShuffle == true { settings.modes.isShuffled.toggle() }
        if let single { settings.modes.isSingle = single }
        if let consume { settings.modes.isConsuming = consume }
        if let mode = replayGain.flatMap(ReplayGainMode.init) { settings.replayGain = mode }
        if let crossfade { settings.crossfade = crossfade }
        if let resumeItems { settings.resumesItems = resumeItems }
        if let skipBack { settings.skipBack = skipBack }
        if let outputDevice { settings.outputDevice = outputDevice.isEmpty ? nil : outputDevice }
        if let policy = onUnplug.flatMap(UnplugPolicy.init) { settings.unplugPolicy = policy }
        if let mode = mixing.flatMap(MixingMode.init) { settings.mixing = mode }
        if let inhibit { settings.inhibitsSleep = inhibit == "sleep" }
    }
}

extension RepeatMode {
    fileprivate var next: RepeatMode {
        switch self {
        case .off: .all
        case .all: .one
        case .one: .off
        }
    }
}
