import UndersongBackground
import UndersongBase

/// Remote notifications.
extension WireMethod {
    static let pushes: [WireMethod] = [
        WireMethod(SendPush.self) { frontEnd, push, _ async throws(ServiceError) in
            try await frontEnd.player.send(push)
        },
        WireMethod(GetPushToken.self) { frontEnd, _, _ async throws(ServiceError) in
            let token = try await frontEnd.player.pushToken
            return PushToken(token, subscription: await frontEnd.player.pushSubscription)
        },
        WireMethod(GetPushStatus.self) { frontEnd, _, _ in await frontEnd.player.pushStatus },
        WireMethod(SetPushProvider.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.setPushSource(call.source)
            return await frontEnd.player.pushStatus
        },
        WireMethod(RegisterForPushes.self) { frontEnd, call, origin async throws(ServiceError) in
            let token = try await frontEnd.player.pushToken
            await frontEnd.player.registerForPushes(call.topics, client: origin.client.id)
            return PushToken(token)
        },
        WireMethod(UnregisterForPushes.self) { frontEnd, _, origin in
            await frontEnd.player.unregisterForPushes(origin.client.id)
            return Nothing()
        },
        WireMethod(AnswerPush.self) { frontEnd, answer, origin in
            await frontEnd.player.answerPush(answer.push, answer.result, of: origin.client.id)
            return Nothing()
        },
        WireMethod(ReportMissingPushes.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.pushesMayBeMissing(call.id)
        },
        WireMethod(ReportRefusedPush.self) { frontEnd, call, _ in
            await frontEnd.player.pushWasRefused(call.reason)
            return Nothing()
        },
    ]
}
