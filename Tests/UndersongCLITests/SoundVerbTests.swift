import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl

@testable import UndersongCLI

/// The verbs for devices and interruptions, as programs, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A verb for the sound server` {
    @Test(arguments: [
        ([], "USB Audio (USBAudio), usb"),
        (
            ["list"],
            """
              pci  Built-in Audio (Speaker), default, suspended, volume 74.5
            > usb  USB Audio (USBAudio)
            """
        ), (["list", "--json"], JSONLine.text(of: Outputs.two)),
    ])
    func `The verb output shows the current device`(arguments: [String], text: String) throws {
        let service = try FakeService { _, _ in ControlReply(Outputs.two) }
        defer { service.end() }

        let program = try Program(["output"] + arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == text + "\n")
        #expect(service.methods == [GetOutputs.method])
    }

    @Test(
        arguments: [
            (["usb"], "usb"), (["default"], nil), (["audio", "Usb"], "usb"), (["later"], "later"),
        ] as [([String], String?)])
    func `The verb output set requests a device by name, by words, or the default one`(
        name: [String], device: String?
    ) throws {
        let service = try FakeService { _, _ in ControlReply(Outputs.two) }
        defer { service.end() }

        let program = try Program(["output", "set"] + name, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "USB Audio (USBAudio), usb\n")
        #expect(try service.calls(SetOutput.self).map(\.device) == [device])
    }

    @Test func `The verb output set asks for more if words mean several devices`() throws {
        let service = try FakeService { _, _ in ControlReply(Outputs.two) }
        defer { service.end() }

        let program = try Program(["output", "set", "a"], environment: service.environment)

        #expect(try program.wait() == 1)
        let names = Outputs.two.devices.map(\.name).joined(separator: ", ")
        #expect(
            program.errorText == "undersong: cannot set the output: a may be any of \(names)\n")
        #expect(try service.calls(SetOutput.self).isEmpty)
    }

    @Test func `The verb output set says that a choice applies later without a sound server`()
        throws
    {
        let service = try FakeService { _, _ in
            ControlReply(
                Outputs(
                    server: nil, lostReason: "Connection refused", current: nil, chosen: "usb",
                    devices: []))
        }
        defer { service.end() }

        let program = try Program(["output", "set", "usb"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "usb, as soon as a sound server answers: Connection refused\n")
    }

    @Test(arguments: [
        (["begin"], nil), (["end"], false), (["end", "--should-resume"], true),
    ])
    func `The verb interrupt begins and ends an interruption`(
        arguments: [String], shouldResume: Bool?
    ) throws {
        let service = try FakeService { _, _ in ControlReply(PlayerStatus.paused) }
        defer { service.end() }

        let program = try Program(["interrupt"] + arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.calls(BeginInterruption.self).count == (shouldResume == nil ? 1 : 0))
        let ends = try service.calls(EndInterruption.self)
        #expect(ends.map(\.shouldResume) == [shouldResume].compactMap(\.self))
    }

    @Test(arguments: [
        (["interrupt", "begin", "--should-resume"], "is for end only"),
        (["interrupt", "bgin"], "did you mean 'begin'?"), (["output", "set"], "name"),
    ])
    func `A verb for the sound server called incorrectly fails with 64`(
        arguments: [String], text: String
    ) throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains(text))
    }
}

extension Outputs {
    /// Two devices, the second of which is the current one.
    static let two = Outputs(
        server: "pulseaudio 16.1", lostReason: nil, current: usb, chosen: nil,
        devices: [
            Device(
                name: "pci", description: "Built-in Audio", port: "Speaker", isAvailable: true,
                isSuspended: true, volume: 74.5, isDefault: true, isCurrent: false), usb,
        ])

    static let usb = Device(
        name: "usb", description: "USB Audio", port: "USBAudio", isAvailable: true,
        isSuspended: false, volume: 100, isDefault: false, isCurrent: true)
}
