import Control
import Foundation
import TestSupport
import Testing

@testable import UndersongCLI

/// Verbs with one request, as programs, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A verb` {
    @Test(arguments: Command.Verb.allCases)
    func `of one word sends its command, and shows the new status`(verb: Command.Verb) throws {
        let service = try FakeService { _, _ in ControlReply(Status.paused) }
        defer { service.end() }

        let program = try Program([verb.rawValue], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "⏸ 2/3  0:41 / 4:05  Second Song (userPaused)  1.25×\n")
        #expect(try service.calls(Command.self).map(\.verb) == [verb])
    }

    @Test func `shows the answer as JSON with --json`() throws {
        let service = try FakeService { _, _ in
            ControlReply(Seek.Reply(finished: true, position: WireTime(value: 9, timescale: 2)))
        }
        defer { service.end() }

        let program = try Program(["seek", "-10", "--json"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == #"{"finished":true,"position":{"timescale":2,"value":9}}"# + "\n")
        let call = try #require(service.calls(Seek.self).first)
        #expect(call.to == nil)
        #expect(call.by == WireTime(value: -10, timescale: 1))
    }

    @Test(arguments: [
        ["pause"], ["seek", "10"], ["volume"], ["rate"], ["repeat"], ["shuffle"],
        ["sleep"], ["output"], ["output", "set", "x"], ["interrupt", "begin"], ["mixing"],
        ["status"], ["events"],
        ["host"], ["why"], ["task", "run", "--", "true"], ["demo", "fibonacci"],
    ])
    func `without a service reports that, fails with 69, and starts none`(arguments: [String])
        throws
    {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 69)
        #expect(program.text == "")
        #expect(program.errorText.hasPrefix("undersong: cannot "))
        #expect(program.errorText.hasSuffix(": No service runs; undersong play starts one\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: service.runtimeFolder) == [])
    }

    @Test func `names a session that has no service`() throws {
        let service = try FakeService()
        defer { service.end() }

        let program = try Program(
            ["pause", "--session", "kitchen"], environment: service.environment)

        #expect(try program.wait() == 69)
        #expect(
            program.errorText == "undersong: cannot pause: "
                + "No service runs in the session kitchen; undersong play starts one\n")
    }

    @Test(arguments: [
        (ControlError.Code.notPossible, Int32(1)), (.notFound, 1), (.invalidParams, 64),
        (.internalError, 1),
    ])
    func `reports why the service refuses it`(code: ControlError.Code, status: Int32) throws {
        let service = try FakeService { _, _ in
            throw ControlError(code, "cannot go there: The queue is empty")
        }
        defer { service.end() }

        let program = try Program(["next"], environment: service.environment)

        #expect(try program.wait() == status)
        #expect(program.errorText == "undersong: cannot go there: The queue is empty\n")
    }

    @Test func `that loses its service fails with 69`() throws {
        let service = try FakeService { _, connection in
            connection.close(because: "The test says so")
            return nil
        }
        defer { service.end() }

        let program = try Program(["pause"], environment: service.environment)

        #expect(try program.wait() == 69)
        #expect(program.errorText.hasPrefix("undersong: cannot "))
    }

    @Test(arguments: [
        (["volume", "80"], #"{"volume":80}"#), (["volume", "-5"], #"{"volumeBy":-5}"#),
        (["volume", "mute"], #"{"muted":true}"#), (["volume"], "{}"),
        (["rate", "1.25"], #"{"rate":1.25}"#), (["repeat", "one"], #"{"repeat":"one"}"#),
        (["shuffle", "off"], #"{"shuffle":false}"#),
        (["resume-items", "on"], #"{"resumeItems":true}"#), (["resume-items"], "{}"),
        (["skip-back", "15"], #"{"skipBack":15}"#),
        (["on-unplug", "wait"], #"{"onUnplug":"wait"}"#), (["on-unplug"], "{}"),
        (["mixing", "interruptSpoken"], #"{"mixing":"interruptSpoken"}"#), (["mixing"], "{}"),
        (["inhibit", "sleep"], #"{"inhibit":"sleep"}"#), (["inhibit"], "{}"),
    ])
    func `of a setting changes only that setting`(
        arguments: [String], change: String
    ) throws {
        let service = try FakeService { _, _ in ControlReply(Settings.usual) }
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        let call = try #require(service.calls(SetSettings.self).first)
        #expect(JSONText.line(call.change) == change)
    }

    @Test(arguments: [
        (["volume"], "volume 80"), (["rate"], "rate 1.25"), (["repeat"], "repeat all"),
        (["shuffle"], "shuffle off"), (["resume-items"], "resume items off"),
        (["skip-back"], "skip back 0 s"), (["on-unplug"], "on unplug pause"),
        (["mixing"], "mixing exclusive"), (["inhibit"], "inhibit none"),
    ])
    func `of a setting shows it`(arguments: [String], text: String) throws {
        let service = try FakeService { _, _ in ControlReply(Settings.usual) }
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == text + "\n")
    }

    @Test(arguments: [
        (["repeat", "alll"], "did you mean 'all'?"),
        (["capability", "audoi", "on"], "did you mean 'audio'?"),
        (["host", "backgroud"], "did you mean 'background'?"),
        (["events", "--kinds", "time,stat"], "did you mean 'state'?"),
        (["pley", "x"], "did you mean 'play'?"), (["rate", "3"], "is from 0.5 to 2"),
        (["sleep", "--fade", "5"], "goes with a time"), (["sleep", "--after", "itm"], "'item'?"),
        (["sleep", "off", "--after", "item"], "does not go with off"),
        (["pause", "--session", "a/b"], "name has 1 to 64"),
    ])
    func `called incorrectly reports the correct use, and fails with 64`(
        arguments: [String], text: String
    ) throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains(text))
    }

    @Test func `sleep sets the timer, and shows it`() throws {
        let service = try FakeService { _, _ in
            ControlReply(SleepState(remaining: 1800, fade: 10, fading: false))
        }
        defer { service.end() }

        let program = try Program(["sleep", "30m"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "stops in 30:00, fading out over the last 10 s\n")
        #expect(try service.calls(Sleep.self) == [Sleep(seconds: 1800)])
    }

    @Test func `host sets the state, and shows it with its source`() throws {
        let service = try FakeService { _, _ in
            ControlReply(Control.Host.Reply(state: "background", source: "option"))
        }
        defer { service.end() }

        let program = try Program(["host", "background"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "background (option)\n")
        #expect(try service.calls(Control.Host.self).map(\.state) == ["background"])
    }

    @Test func `capability declares a mode, and shows it`() throws {
        let service = try FakeService { _, _ in
            ControlReply(
                Capability.Reply(
                    modes: [
                        Capability.Mode(mode: "audio", declared: true, supported: true),
                        Capability.Mode(mode: "fetch", declared: false, supported: false),
                    ], source: "/home/a/Info.plist"))
        }
        defer { service.end() }

        let one = try Program(["capability", "audio", "on"], environment: service.environment)
        let oneStatus = try one.wait()
        let all = try Program(["capability"], environment: service.environment)
        let allStatus = try all.wait()

        #expect(oneStatus == 0 && allStatus == 0)
        #expect(one.text == "audio  on \ndeclared in: /home/a/Info.plist\n")
        #expect(
            all.text
                == "audio  on \nfetch  off  (no effect here)\ndeclared in: /home/a/Info.plist\n")
        let calls = try service.calls(Capability.self)
        #expect(calls.map(\.mode) == ["audio", nil] && calls.map(\.on) == [true, nil])
    }

    @Test func `sessions lists those that answer`() throws {
        let service = try FakeService { _, _ in ControlReply(Status.paused) }
        defer { service.end() }

        let program = try Program(["sessions"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "default  ⏸ 2/3  0:41 / 4:05  Second Song (userPaused)  1.25×\n")
    }
}
