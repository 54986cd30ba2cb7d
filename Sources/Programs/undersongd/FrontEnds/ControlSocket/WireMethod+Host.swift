import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayerService

/// The host: its clients' states, its background capabilities and tasks, and the end of the
/// service.
extension WireMethod {
    static let host: [WireMethod] = [
        WireMethod(Attach.self) { frontEnd, call, origin async throws(ServiceError) in
            guard let state = ApplicationState(name: call.state) else {
                throw .unknownHostState(call.state, known: [])
            }
            await frontEnd.player.attach(origin.client.id, state: state, source: call.source)
            return Nothing()
        },
        WireMethod(Host.self) { frontEnd, call, _ async throws(ServiceError) in
            if let name = call.state {
                let state = ApplicationState(name: name)
                guard state != nil || name == "auto" else {
                    throw .unknownHostState(name, known: ["auto"])
                }
                await frontEnd.player.overrideHost(state)
            }
            let host = await frontEnd.player.hostState
            return Host.Reply(state: host.state.name, source: host.source)
        },
        WireMethod(Capability.self) { frontEnd, call, _ async throws(ServiceError) in
            if let identifier = call.identifier {
                return Capability.Reply(
                    try await frontEnd.player.permit(identifier, isPermitted: call.on ?? true))
            }
            guard let name = call.mode else {
                return Capability.Reply(await frontEnd.player.capabilities)
            }
            guard let mode = BackgroundMode(rawValue: name) else {
                throw .unknown("background mode", name, BackgroundMode.allCases.map(\.rawValue))
            }
            guard let isDeclared = call.on else {
                return Capability.Reply(await frontEnd.player.capabilities)
            }
            return Capability.Reply(
                try await frontEnd.player.declare(mode, isDeclared: isDeclared))
        },
        WireMethod(BeginTask.self) { frontEnd, call, origin in
            let task = await frontEnd.player.beginTask(call.name, of: origin.client.id)
            return BeginTask.Reply(
                task: task, timeRemaining: await frontEnd.player.timeRemaining)
        },
        WireMethod(EndTask.self) { frontEnd, call, origin in
            await frontEnd.player.endTask(call.task, of: origin.client.id)
            return Nothing()
        },
        WireMethod(GetTime.self) { frontEnd, _, _ in
            GetTime.Reply(timeRemaining: await frontEnd.player.timeRemaining)
        },
        WireMethod(Shutdown.self) { frontEnd, _, _ in
            await frontEnd.player.shutDown()
            await frontEnd.player.shutDownPushes()
            frontEnd.shutDown()
            return Nothing()
        },
    ]
}

extension Capability.Reply {
    fileprivate init(_ report: CapabilityReport) {
        let modes = BackgroundMode.allCases.map { mode in
            Capability.Mode(
                mode: mode.rawValue, declared: report.capabilities.backgroundModes.contains(mode),
                supported: CapabilityReport.supportedModes.contains(mode))
        }
        self.init(
            modes: modes, source: report.source,
            permitted: report.capabilities.permittedIdentifiers.sorted())
    }
}

extension ServiceError {
    fileprivate static func unknownHostState(_ name: String, known: [String]) -> ServiceError {
        .unknown("host state", name, ApplicationState.allCases.map(\.name) + known)
    }
}
