import UndersongBackground
import UndersongBase
import UndersongControl

/// Background fetches, refreshes and processing.
extension WireMethod {
    /// How many runs are described if the client does not say.
    private static let runLimit = 10

    static let refresh: [WireMethod] = [
        WireMethod(GetRefreshStatus.self) { frontEnd, call, _ in
            await frontEnd.player.refreshStatus(limit: call.limit ?? runLimit)
        },
        change(SubmitRefresh.self) { player, call, _ async throws(ServiceError) in
            try await player.submit(call.request)
        },
        change(CancelRefresh.self) { player, call, _ in
            await player.cancelRefresh(call.identifier)
        },
        change(RegisterRefresh.self) { player, call, client async throws(ServiceError) in
            try await player.registerRefresh(call.identifier, client)
        },
        change(CompleteRefresh.self) { player, call, client async throws(ServiceError) in
            try await player.completeRefresh(call.task, call.completion, by: client)
        },
        WireMethod(RunRefresh.self) { frontEnd, call, origin async throws(ServiceError) in
            RefreshBegun(
                task: try await frontEnd.player.runRefresh(
                    call.identifier, call.kind ?? .refresh, .command, for: origin.client.id))
        },
        WireMethod(SimulateRefresh.self) { frontEnd, call, origin async throws(ServiceError) in
            RefreshBegun(
                task: try await frontEnd.player.runRefresh(
                    call.identifier, .refresh, .simulate, for: origin.client.id))
        },
        change(ExpireRefresh.self) { player, call, _ async throws(ServiceError) in
            try await player.expireRefresh(call.identifier)
        },
        change(SetFetchInterval.self) { player, call, _ in
            await player.setFetchInterval(call.interval)
        },
        change(AllowRefresh.self) { player, _, _ async throws(ServiceError) in
            try await player.allowBackgroundRefresh(true)
        },
        change(DenyRefresh.self) { player, _, _ async throws(ServiceError) in
            try await player.allowBackgroundRefresh(false)
        },
    ]

    /// A method that performs `body`, and answers with the status afterwards.
    private static func change<Call: ControlCall>(
        _ type: Call.Type,
        _ body:
            @escaping @Sendable (PlayerService, Call, ClientID) async throws(ServiceError) -> Void
    ) -> WireMethod where Call.Reply == RefreshStatus {
        WireMethod(type) { frontEnd, call, origin async throws(ServiceError) in
            try await body(frontEnd.player, call, origin.client.id)
            return await frontEnd.player.refreshStatus(limit: runLimit)
        }
    }
}
