import UndersongBackground
import UndersongBase
import UndersongControl

/// The host: its clients' states, its background capabilities, and the end of the service.
extension WireMethod {
    static let host: [WireMethod] = [
        WireMethod(Attach.self) { frontEnd, call, origin in
            await frontEnd.player.attach(origin.client.id, state: call.state, source: call.source)
            return Nothing()
        },
        WireMethod(GetHostStatus.self) { frontEnd, _, _ in
            await frontEnd.player.hostState.status
        },
        WireMethod(SetHost.self) { frontEnd, call, _ in
            await frontEnd.player.overrideHost(call.state)
            return await frontEnd.player.hostState.status
        },
        WireMethod(FollowClients.self) { frontEnd, _, _ in
            await frontEnd.player.overrideHost(nil)
            return await frontEnd.player.hostState.status
        },
        WireMethod(GetCapabilities.self) { frontEnd, _, _ in await frontEnd.player.capabilities },
        WireMethod(DeclareMode.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.declare(call.mode, isDeclared: call.on)
        },
        WireMethod(PermitIdentifier.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.permit(call.identifier, isPermitted: call.on)
        },
        WireMethod(Shutdown.self) { frontEnd, _, _ in
            await frontEnd.player.shutDown()
            await frontEnd.player.shutDownFeatures()
            frontEnd.shutDown()
            return Nothing()
        },
    ]
}
