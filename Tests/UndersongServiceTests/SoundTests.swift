import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongAudioSession
@testable import UndersongService

/// Requests about the sound server, its devices and other audio.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A service's sound` {
    @Test func `The service accepts every sound setting, and reports it`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        var change = SettingsChange()
        for row in SettingTable.rows(in: .wire) { change[row.name] = row.otherValue }

        let answer = try client.call(SetSettings(change))

        #expect(answer == Settings(.other))
        #expect(try client.call(GetStatus()).settings == answer)
    }

    @Test func `The service has the sound settings with which it was started`() async throws {
        let stage = try Stage(settings: { $0.mixing = .mix })
        let client = try stage.client()

        #expect(try client.call(GetSettings()).mixing == .mix)
    }

    @Test func `The service refuses to end an interruption that has not begun`() throws {
        let stage = try Stage()
        let client = try stage.client()

        #expect(
            throws: ControlError(.notPossible, "cannot end the interruption: None has begun")
        ) { try client.call(EndInterruption(shouldResume: false)) }
    }

    @Test(.rule("A5", "A8", "T51"))
    func `The service's host is inactive during a call, and its music interrupted`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil))
        try client.attach(.active)
        try client.play()
        await client.wait { $0.events.last?.head.status == .playing }

        let during = try client.call(BeginInterruption())
        let reasons = try client.call(GetWhy()).suppressions.map(\.reason)
        let after = try client.call(EndInterruption(shouldResume: true))
        await client.wait { $0.events.compactMap(\.lifecycle).last == [.didBecomeActive] }

        #expect(during.host == .inactive && during.hostSource == "undersong interrupt")
        #expect(during.wantsPlayback && reasons == [.known(.interrupted)])
        #expect(after.host == .active && after.hostSource != "undersong interrupt")
        #expect(
            client.events.compactMap(\.lifecycle).suffix(2) == [
                [.willResignActive], [.didBecomeActive],
            ])
    }

    @Test func `The service does not mention a sound server that is not used`() throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        try client.play()

        #expect(try client.call(GetWhy()).sound == nil)
    }

    @Test func `The service lists devices with the default, the current and the chosen one`() {
        let pci = OutputDevice(name: "pci", port: .builtInSpeaker, index: 0, volume: 0.125)
        var usb = OutputDevice(
            name: "usb", description: "USB Audio", port: .usbAudio, index: 7, isAvailable: false)
        usb.isSuspended = true

        let outputs = Outputs(
            server: "pulseaudio 16.1", lostReason: nil, devices: [pci, usb],
            defaultDevice: "pci", current: usb, chosen: "gone")

        #expect(outputs.server == "pulseaudio 16.1" && !outputs.isLost)
        #expect(outputs.chosen == "gone")
        #expect(outputs.devices.map(\.name) == ["pci", "usb"])
        #expect(outputs.devices.map(\.isDefault) == [true, false])
        #expect(outputs.devices.map(\.isCurrent) == [false, true])
        #expect(outputs.devices.map(\.volume) == [50, 100])
        #expect(outputs.current == outputs.devices[1])
        #expect(
            outputs.current
                == Outputs.Device(
                    name: "usb", description: "USB Audio", port: "USBAudio", isAvailable: false,
                    isSuspended: true, volume: 100, isMuted: false, isDefault: false,
                    isCurrent: true))
    }
}
