import TestSupport
import Testing
import UndersongBackground

@Suite struct `A background mode` {
    @Test(.rule("B2"))
    func `A background mode is one of nine, named by its key in UIBackgroundModes`() {
        #expect(
            BackgroundMode.allCases.map(\.rawValue) == [
                "audio", "location", "voip", "external-accessory", "bluetooth-central",
                "bluetooth-peripheral", "fetch", "remote-notification", "processing",
            ])
    }

    @Test(.rule("B2")) func `A background mode is unknown by any other key`() {
        #expect(BackgroundMode(rawValue: "audio") == .audio)
        #expect(BackgroundMode(rawValue: "Audio") == nil)
        #expect(BackgroundMode(rawValue: "externalAccessory") == nil)
    }
}

@Suite struct `A host's capabilities` {
    @Test(.rule("B1")) func `A host's capabilities are empty if none is declared`() {
        #expect(Capabilities().backgroundModes == [])
    }

    @Test(.rule("B1")) func `A host's capabilities are the declared ones, in any order`() {
        let capabilities = Capabilities(backgroundModes: [.fetch, .audio])

        #expect(capabilities.backgroundModes == [.audio, .fetch])
        #expect(capabilities == Capabilities(backgroundModes: [.audio, .fetch]))
    }
}
