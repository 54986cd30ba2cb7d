import Foundation
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

@Suite struct `The port to a device` {
    private static let format = StreamFormat(sampleRate: 44100, channelCount: 2)

    @Test(arguments: [
        Device(), Device(block: 800), Device(block: 800, rewinds: true),
        Device(keepsPausedFrames: false),
    ])
    func `The device's port is implemented by a scripted device`(_ model: Device) throws {
        let device = ScriptedDevice()
        (device.block, device.rewinds) = (model.block, model.rewinds)
        device.keepsPausedFrames = model.keepsPausedFrames

        try expectOutputContract(
            of: ScriptedDevice.format, deviceShare: 100_000_000, now: { device.now },
            soon: { device.after(1_000_000, do: $0) }
        ) { () throws(OutputError) in try ScriptedOutput(device) }
    }

    @Test func `The device's port is implemented by an output that plays nowhere`() throws {
        try expectOutputContract(of: Self.format) { () throws(OutputError) in
            NullOutput(format: Self.format, clock: SystemClock())
        }
    }

    @Test func `The device's port is implemented by a file`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).wav").path
        defer { try? FileManager.default.removeItem(atPath: path) }

        try expectOutputContract(of: Self.format) { () throws(OutputError) in
            try WAVOutput(format: Self.format, path: FilePath(path), clock: SystemClock())
        }
    }
}
