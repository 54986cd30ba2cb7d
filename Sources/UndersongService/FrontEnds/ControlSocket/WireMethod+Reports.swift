import AudioSession
import Background
import Control
import Glibc
import Playback
import PlayerService

/// The settings and the sound's device.
extension WireMethod {
    static let settings: [WireMethod] = [
        WireMethod(SetSettings.self) { frontEnd, call, _ async throws(ServiceError) in
            Settings(try await frontEnd.player.set(call.change))
        },
        WireMethod(GetOutputs.self) { frontEnd, _, _ in
            Outputs(await frontEnd.player.sound)
        },
        WireMethod(SetOutput.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.chooseDevice(call.device)
            return Outputs(await frontEnd.player.sound)
        },
    ]
}

/// Who answers, and what the player does.
extension WireMethod {
    static let reports: [WireMethod] = [
        WireMethod(Hello.self) { frontEnd, call, origin in
            origin.client.name = call.client
            return Hello.Reply(
                protocol: ControlProtocol.version, version: AudioSession.version,
                session: frontEnd.sessionName, process: getpid())
        },
        WireMethod(GetStatus.self) { frontEnd, _, _ in Status(await frontEnd.player.status) },
        WireMethod(GetWhy.self) { frontEnd, _, _ in Why(await frontEnd.player.explanation) },
    ]
}
