import AVFoundation
import TestSupport
import Testing
import UndersongBackground

@Suite struct `The sound of other applications` {
    /// A session that is not active, on a sound server on which another application plays.
    private func session(beside stream: ServerStream?) -> AVAudioSession {
        var state = SoundServerState()
        state.streams = stream.map { [$0] } ?? []
        return AVAudioSession(
            center: NotificationCenter(), soundServer: ScriptedSoundServer(state))
    }

    @Test func `Other audio is known before the session is active`() throws {
        let session = session(
            beside: ServerStream(index: 1, device: 0, application: "mpv", role: "music"))

        #expect(session.secondaryAudioShouldBeSilencedHint)
        #expect(session.isOtherAudioPlaying)
        #expect(!session.isActive)
        try session.setActive(true)
        #expect(session.isOtherAudioPlaying)
    }

    @Test func `Other audio may be nothing, or a sound that mixes`() {
        let silent = session(beside: nil)
        let chiming = session(
            beside: ServerStream(index: 1, device: 0, application: "desktop", role: "event"))

        #expect(!silent.isOtherAudioPlaying && !silent.secondaryAudioShouldBeSilencedHint)
        #expect(chiming.isOtherAudioPlaying && !chiming.secondaryAudioShouldBeSilencedHint)
    }

    @Test func `Other audio is nothing without a sound server`() {
        let session = AVAudioSession(
            center: NotificationCenter(), soundServer: ScriptedSoundServer(nil))

        #expect(!session.isOtherAudioPlaying)
    }
}
