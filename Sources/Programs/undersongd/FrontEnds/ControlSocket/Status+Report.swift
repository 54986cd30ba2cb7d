import UndersongAudioSession
import UndersongBackground
import UndersongControl
import UndersongPlayback
import UndersongPlayerService

extension Why {
    init(_ explanation: Explanation) {
        let report = explanation.report
        self.init(
            status: explanation.status,
            suppressions: report.decision.reasons.map {
                Suppression(
                    reason: $0.rawValue, since: report.suppressedSince[$0] ?? report.hostTime)
            }, now: report.hostTime, hostSince: report.applicationStateSince,
            clients: explanation.hostClients.map {
                Client(
                    name: $0.name ?? "unknown", process: $0.process ?? 0, state: $0.state.name,
                    source: $0.source)
            }, hostOverride: explanation.hostOverride?.name,
            loginSession: explanation.login.name, category: report.category.rawValue,
            audioCapability: report.decision.hasAudioCapability,
            capabilitySource: report.decision.capabilitySource, output: report.output.description,
            tasks: explanation.tasks, sound: explanation.sound.map { Sound($0) },
            stateTrouble: explanation.storeTrouble?.description,
            backgroundTimeRemaining: explanation.timeRemaining)
        pushes = explanation.pushes.map { PushState($0) }
        locations = explanation.locations
    }
}

extension Why.Sound {
    fileprivate init(_ sound: Explanation.Sound) {
        self.init(
            outputs: Outputs(sound.report), lostSince: sound.lostSince,
            interruptions: sound.report.interruptions.map {
                Why.Interruption(source: $0.kind, by: $0.name)
            })
    }
}

extension Outputs {
    init(_ report: SoundReport) {
        let device = { (device: OutputDevice) in
            Device(
                name: device.name, description: device.description, port: device.port.rawValue,
                isAvailable: device.isAvailable, isSuspended: device.isSuspended,
                volume: (Double(device.volume).cubeRoot * 1000).rounded() / 10,
                isMuted: device.isMuted,
                isDefault: device.name == report.defaultDevice,
                isCurrent: device.name == report.current?.name)
        }
        self.init(
            server: report.server, lostReason: report.lostReason,
            current: report.current.map(device), chosen: report.chosen,
            devices: report.devices.map(device))
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
