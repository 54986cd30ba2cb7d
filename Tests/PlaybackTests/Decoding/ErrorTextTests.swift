import Testing
import UndersongPlayback

@Suite struct `An error's text` {
    @Test func `An error's text names what was tried and why it failed, for media`() {
        let error = MediaError(.notFound, operation: "open /a.mp3", reason: "No such file")

        #expect(error.description == "cannot open /a.mp3: No such file")
        #expect(error.code.rawValue == "not-found")
    }

    @Test func `An error's text names what was tried and why it failed, for outputs`() {
        let error = OutputError(
            .serverUnavailable, operation: "connect to the sound server", reason: "Refused")

        #expect(error.description == "cannot connect to the sound server: Refused")
        #expect(error.code.rawValue == "server-unavailable")
    }

    @Test func `An error's text has a code that programs may rely on`() {
        #expect(
            MediaError.Code.allCases.map(\.rawValue) == [
                "not-found", "not-permitted", "empty", "refused-by-server",
                "unknown-host", "cannot-connect", "not-sound",
                "changed-on-server", "no-network",
                "not-mpeg-audio",
                "unsupported-format", "not-a-file",
                "read-failed", "no-frames", "not-seekable", "decode-failed", "bad-playlist",
                "no-media", "other-formats",
            ])
    }
}
