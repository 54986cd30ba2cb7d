import TestSupport
import Testing
import UndersongBackground

@Suite struct `A scripted sound server` {
    @Test func `A scripted sound server implements the port's contract`() async throws {
        let peer = ScriptedSoundServer(state())
        let server = ScriptedSoundServer(state(), peer: peer)

        try await expectSoundServerContract(
            server, peer: peer, unreachable: ScriptedSoundServer(nil)
        ) {
            peer.lose()
            server.lose()
            peer.connect(state())
            server.connect(state())
        }
    }
}
