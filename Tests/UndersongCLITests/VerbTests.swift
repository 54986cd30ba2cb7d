import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongPlayback

@testable import UndersongCLI

/// Verbs with one request, as programs, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A verb` {
    @Test(arguments: PlayerCommand.allCases)
    func `A verb of one word sends its command, and shows the new status`(verb: PlayerCommand)
        throws
    {
        let service = try FakeService { _, _ in ControlReply(PlayerStatus.paused) }
        defer { service.end() }

        let program = try Program([verb.rawValue], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "⏸ 2/3  0:41 / 4:05  Second Song (paused)  1.25×\n")
        #expect(try service.calls(Command.self).map(\.verb) == [verb])
    }

    @Test(arguments: ["next", "previous"])
    func `A verb skips several items at once`(verb: String) throws {
        let service = try FakeService { _, _ in ControlReply(PlayerStatus.paused) }
        defer { service.end() }

        let program = try Program([verb, "3"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines.count == 1)
        let calls = try service.calls(Command.self)
        #expect(calls.map(\.verb.rawValue) == [verb] && calls.map(\.times) == [3])
    }

    @Test(arguments: ["0", "-1", "1001"])
    func `A verb refuses to skip a nonsensical number of items`(times: String) throws {
        let service = try FakeService { _, _ in ControlReply(PlayerStatus.paused) }
        defer { service.end() }

        let program = try Program(["next", "--", times], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("'\(times)' is not a number from 1 to 1000"))
        #expect(try service.calls(Command.self).isEmpty)
    }

    @Test func `A verb need not be named to see the status`() throws {
        let service = try FakeService { _, _ in ControlReply(PlayerStatus.paused) }
        defer { service.end() }

        let program = try Program([], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == StatusText.screen(.paused) + "\n")
    }

    @Test func `A call without a verb proposes some while no service is running`() throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program([], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == Overview.introduction)
        #expect(try FileManager.default.contentsOfDirectory(atPath: service.runtimeFolder) == [])
    }

    @Test func `A verb shows the answer as JSON with --json`() throws {
        let service = try FakeService { _, _ in
            ControlReply(SeekResult(finished: true, position: WireTime(value: 9, timescale: 2)))
        }
        defer { service.end() }

        let program = try Program(["seek", "-10", "--json"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == #"{"finished":true,"position":{"seconds":4.5,"timescale":2,"value":9}}"#
                + "\n")
        #expect(
            try service.calls(SeekBy.self).map(\.by) == [WireTime(value: -10, timescale: 1)])
    }

    @Test func `The verb seek counts from the start of the part of a file that is played`() throws {
        let service = try FakeService { request, _ in
            guard request.method != GetStatus.method else {
                var status = PlayerStatus.paused
                status.item?.start = WireTime(value: 121, timescale: 2)
                return ControlReply(status)
            }
            return ControlReply(
                SeekResult(finished: true, position: WireTime(value: 9, timescale: 2)))
        }
        defer { service.end() }

        let program = try Program(["seek", "2.5"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.calls(Seek.self).map(\.to.seconds) == [63])
    }

    @Test(arguments: [
        ["sleep"], ["output"],
        ["output", "set", "x"], ["interrupt", "begin"], ["events"],
        ["host"], ["why"], ["task", "run", "--", "true"],
    ])
    func `A verb without a service reports that, fails with 69, and starts none`(
        arguments: [String]
    )
        throws
    {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 69)
        #expect(program.text == "")
        #expect(program.errorText.hasPrefix("undersong: cannot "))
        #expect(
            program.errorText.hasSuffix(": No service is running; 'undersong play' starts one\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: service.runtimeFolder) == [])
    }

    @Test func `A verb names a session that has no service`() throws {
        let service = try FakeService()
        defer { service.end() }

        let program = try Program(
            ["why", "--session", "kitchen"], environment: service.environment)

        #expect(try program.wait() == 69)
        #expect(
            program.errorText == "undersong: cannot explain why: "
                + "No service is running in the session kitchen; 'undersong play' starts one\n")
    }

    @Test(arguments: [
        (ControlError.Code.notPossible, Int32(1)), (.notFound, 1), (.invalidParams, 64),
        (.internalError, 1),
    ])
    func `A verb reports why the service refuses it`(code: ControlError.Code, status: Int32) throws
    {
        let service = try FakeService { _, _ in
            throw ControlError(code, "cannot go there: The queue is empty")
        }
        defer { service.end() }

        let program = try Program(["next"], environment: service.environment)

        #expect(try program.wait() == status)
        #expect(program.errorText == "undersong: cannot go there: The queue is empty\n")
    }

    @Test func `A verb that loses its service fails with 69`() throws {
        let service = try FakeService { _, connection in
            connection.close(reason: "The test says so")
            return nil
        }
        defer { service.end() }

        let program = try Program(["pause"], environment: service.environment)

        #expect(try program.wait() == 69)
        #expect(program.errorText.hasPrefix("undersong: cannot "))
    }

    @Test func `A verb of a setting changes it, and shows it without an argument`() throws {
        let service = try FakeService { _, _ in ControlReply(Settings.usual) }
        defer { service.end() }

        let changed = try Program(["volume", "-5"], environment: service.environment)
        #expect(try changed.wait() == 0)
        let shown = try Program(["volume"], environment: service.environment)
        #expect(try shown.wait() == 0)

        let changes = try service.calls(SetSettings.self).map(\.change)
        #expect(changes.map { JSONLine.text(of: $0) } == [#"{"volumeBy":-5}"#])
        #expect(changed.text == "volume 80\n" && shown.text == changed.text)
    }

    @Test(arguments: [
        (["repeat", "alll"], "did you mean 'all'?"),
        (["capability", "audoi", "on"], "did you mean 'audio'?"),
        (["host", "backgroud"], "did you mean 'background'?"),
        (["events", "--kinds", "time,stat"], "did you mean 'state'?"),
        (["pley", "x"], "did you mean 'play'?"), (["rate", "3"], "must be from 0.5 to 2"),
        (["status", "--format", "{nosuch}"], "status: '{nosuch}' is not one of {artist}, {title}"),
        (["status", "--follow"], "needs --format"),
        (["status", "--json", "--waybar"], "cannot be combined with"),
        (["shuffle", "togle"], "did you mean 'toggle'?"),
        (["crossfade", "13"], "must be from 0 to 12"),
        (["sleep", "--fade", "5"], "needs a time"), (["sleep", "--after", "itm"], "'item'?"),
        (["sleep", "off", "--after", "item"], "cannot be combined with off"),
        (["pause", "--session", "a/b"], "name has 1 to 64"),
    ])
    func `A verb called incorrectly reports the correct use, and fails with 64`(
        arguments: [String], text: String
    ) throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains(text))
    }

    @Test func `The verb sleep sets the timer, and shows it`() throws {
        let service = try FakeService { _, _ in
            ControlReply(SleepReport(remaining: 1800, fade: 10, fading: false))
        }
        defer { service.end() }

        let program = try Program(["sleep", "30m"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "sleep timer: 30:00 left, with a 10 s fade-out\n")
        #expect(try service.calls(SetSleep.self) == [SetSleep(seconds: 1800)])
    }

    @Test func `The verb host sets the state, and shows it with its source`() throws {
        let service = try FakeService { _, _ in
            ControlReply(HostStatus(state: .background, source: "option"))
        }
        defer { service.end() }

        let program = try Program(["host", "background"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "background (option)\n")
        #expect(try service.calls(SetHost.self).map(\.state) == [.background])
    }

    @Test func `The verb capability declares a mode, and shows it`() throws {
        let service = try FakeService { _, _ in
            var status = CapabilityStatus(Capabilities(), source: "/home/a/Info.plist")
            status.modes = [
                CapabilityStatus.Mode(mode: .audio, declared: true, supported: true),
                CapabilityStatus.Mode(mode: .fetch, declared: false, supported: false),
                CapabilityStatus.Mode(mode: .voip, declared: true, supported: false),
            ]
            return ControlReply(status)
        }
        defer { service.end() }

        let one = try Program(["capability", "audio", "on"], environment: service.environment)
        let oneStatus = try one.wait()
        let all = try Program(["capability"], environment: service.environment)
        let allStatus = try all.wait()
        let toggled = try Program(
            ["capability", "audio", "toggle"], environment: service.environment)
        let toggledStatus = try toggled.wait()

        #expect(oneStatus == 0 && allStatus == 0 && toggledStatus == 0)
        #expect(toggled.text == one.text)
        #expect(one.text == "audio  on\ndeclared in: /home/a/Info.plist\n")
        #expect(
            all.text
                == "audio  on\nfetch  off  (no effect here)\nvoip   on   (no effect here)\n"
                + "declared in: /home/a/Info.plist\n")
        let calls = try service.calls(DeclareMode.self)
        #expect(calls.map(\.mode) == [.audio, .audio] && calls.map(\.on) == [true, nil])
        #expect(service.methods.count { $0 == GetCapabilities.method } == 1)
    }

    @Test(arguments: [
        (["--format", "{title}"], "Second Song\n"), (["--format={number}/{count}"], "2/3\n"),
    ])
    func `The verb status shows a line by a template`(options: [String], text: String) throws {
        let service = try FakeService { _, _ in ControlReply(PlayerStatus.paused) }
        defer { service.end() }

        let program = try Program(["status"] + options, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == text)
    }

    @Test func `The verb status with --follow writes a line whenever it changes, and no other`()
        throws
    {
        let number = Mutex(0)
        let service = try FakeService { request, _ in
            guard request.method == GetStatus.method else {
                return ControlReply(Subscribe.Reply(subscription: 1))
            }
            var status = PlayerStatus.paused
            let asked = number.withLock { number in
                number += 1
                return number
            }
            status.item?.title = asked < 3 ? "First" : "Next"
            return ControlReply(status)
        }
        defer { service.end() }

        let program = try Program(
            ["status", "--follow", "--format", "{title}"], environment: service.environment)
        try service.wait { _ in number.withLock { $0 } == 1 }
        service.send(event: .state(.playing))
        try service.wait { _ in number.withLock { $0 } == 2 }
        service.send(event: .began("Next"))
        try program.waitForOutput { $0.text == "First\nNext\n" }
        service.end()

        #expect(try program.wait() == 69)
        #expect(program.text == "First\nNext\n")
        #expect(!service.methods.contains(Attach.method))
    }

    @Test func `The verb status with --follow shows a new rating, and ignores how far a scan is`()
        throws
    {
        let rating = Mutex(Int?.none)
        let service = try FakeService { request, _ in
            guard request.method == GetStatus.method else {
                return ControlReply(Subscribe.Reply(subscription: 1))
            }
            var status = PlayerStatus.paused
            (status.rating, status.favourite) = (rating.withLock { $0 }, true)
            return ControlReply(status)
        }
        defer { service.end() }

        let program = try Program(
            ["status", "--follow", "--format", "{title}[ {rating}][ {favourite}]"],
            environment: service.environment)
        try program.waitForOutput { $0.text == "Second Song favourite\n" }
        rating.withLock { $0 = 4 }
        service.send(event: PlayerEvent(.library(LibraryEvent(.scanning, trackCount: 9))))
        rating.withLock { $0 = 5 }
        service.send(event: PlayerEvent(.library(LibraryEvent(.rated, trackCount: 9, track: 7))))
        try program.waitForOutput { $0.text.hasSuffix("Second Song 5 favourite\n") }
        service.end()

        #expect(try program.wait() == 69)
        #expect(try service.calls(GetStatus.self).count == 2)
        #expect(
            try service.calls(Subscribe.self).allSatisfy { $0.kinds?.contains("library") == true })
    }

    @Test func `The verb sessions lists those that answer`() throws {
        let service = try FakeService { _, _ in ControlReply(PlayerStatus.paused) }
        defer { service.end() }

        let program = try Program(["sessions"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "default  ⏸ 2/3  0:41 / 4:05  Second Song (paused)  1.25×\n")
    }
}
