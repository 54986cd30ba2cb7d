import Foundation
import Testing
import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The configuration file as a value, and what it makes of calls.
@Suite struct `A configuration` {
    private func configuration(_ text: String) throws -> Configuration {
        try Configuration(path: "/c.json5", bytes: Array(text.utf8))
    }

    /// The faults of a file, as doctor reports them.
    private func problem(_ text: String) -> String? {
        do {
            return ConfigurationCheck.error(in: try configuration(text))?.description
        } catch {
            return "\(error)"
        }
    }

    private func call(_ given: [String], _ text: String) throws -> ConfiguredCall {
        ConfiguredCall(given, try configuration(text), verbs: Undersong.verbs)
    }

    @Test(arguments: ["", " \n", "{}", "{ play: {}, }", "/* none */ {} // yet"])
    func `A configuration may be empty`(text: String) throws {
        #expect(problem(text) == nil)
        #expect(try call(["play"], text).arguments == ["play"])
    }

    @Test func `A configuration gives a verb the options that the call does not have`() throws {
        let text = """
            {
              // at home
              play: {volume: 60, 'replay-gain': "album", quiet: true, json: false, at: [1, '2:30']},
              pause: {json: true},
            }
            """

        #expect(
            try call(["play", "/a.mp3"], text).arguments == [
                "play", "--volume=60", "--replay-gain=album", "--quiet", "--at=1", "--at=2:30",
                "/a.mp3",
            ])
        #expect(
            try call(["play", "--volume", "5", "--at=3", "/a.mp3", "--", "--quiet"], text).arguments
                == [
                    "play", "--replay-gain=album", "--quiet", "--volume", "5", "--at=3", "/a.mp3",
                    "--", "--quiet",
                ])
        #expect(try call(["next"], text).arguments == ["next"])
        #expect(try call(["play", "--help"], text).arguments == ["play", "--help"])
        #expect(try call(["pause"], text).arguments == ["pause", "--json"])
    }

    @Test func `A configuration turns options off that can be off`() throws {
        let text = "{play: {shuffle: false, json: false}}"

        #expect(try call(["play"], text).arguments == ["play", "--no-shuffle"])
        #expect(try call(["play", "--shuffle"], text).arguments == ["play", "--shuffle"])
    }

    @Test func `A configuration gives the verbs of queue their own options`() throws {
        let text = "{'queue list': {json: true}}"

        #expect(try call(["queue", "list"], text).arguments == ["queue", "list", "--json"])
        #expect(try call(["queue", "undo"], text).arguments == ["queue", "undo"])
        #expect(try call(["queue"], text).arguments == ["queue", "--json"])
        #expect(
            try call(["queue", "--session", "a"], text).arguments == [
                "queue", "--json", "--session", "a",
            ])
        #expect(try call(["queue", "nosuch"], text).arguments == ["queue", "nosuch"])
        #expect(try call(["queue"], text).error == nil)
    }

    @Test(arguments: [
        (
            "{\n play: {\n volum: 60\n}}",
            "line 3: play has no option 'volum'; did you mean 'volume'?"
        ),
        ("{\n\n plya: {}}", "line 3: There is no verb 'plya'; did you mean 'play'?"),
        ("{play: 5}", "line 1: 'play' is not an object of options"),
        ("{play: {\n/* {\n */ volume: {}}}", "line 3: 'volume' is not true, false, a number"),
        ("{play: {volume: null}}", "line 1: 'volume' is not true, false, a number"),
        (
            "{play: {volume:\n'loud'}}",
            "line 1: 'loud' is not valid for --volume"
        ),
        ("{play: {json: 5}}", "line 1: --json takes no value"),
        ("{keys: {\n a: true}}", "line 2: The key 'a' has no text"),
        ("{keys: {\n '\\'': 'next', ab: 'next'}}", "line 2: There is no key 'ab'; a key is a"),
        ("{keys: {a: 'nxet'}}", "line 1: There is no action 'nxet'; did you mean 'next'?"),
        ("{keys: {a: 'seek 100%'}}", "line 1: There is no action 'seek 100%'"),
        ("{\n play: {\n volume 60}}", "line 3: It is not JSON5"),
        ("[1]", ": It is not an object of sections"),
    ])
    func `A configuration with an error is refused with the line and the reason`(
        text: String, reason: String
    ) throws {
        let found = try #require(problem(text))

        #expect(found.hasPrefix("cannot use /c.json5"))
        #expect(found.contains(reason), "\(found)")
    }

    @Test func `A configuration that is not UTF-8 is refused`() {
        #expect(throws: ConfigurationError("/c.json5", nil, "It is not UTF-8")) {
            try Configuration(path: "/c.json5", bytes: [0x7B, 0xE9, 0x7D])
        }
    }

    @Test func `A configuration names the default that makes a right call wrong, and no other`()
        throws
    {
        let text = "{play: {volume: 60,\n rate: 'fast'}}"

        let error = try call(["play", "/a.mp3"], text).error
        let ownError = try call(["play", "--vlume", "3"], text).error

        #expect(error?.line == 2 && error?.reason.contains("'fast'") == true)
        #expect(ownError == nil)
        #expect(try call(["play", "--rate", "2"], text).error == nil)
    }

    @Test func `A configuration knows the keys that its options need`() throws {
        #expect(problem("{seek: {json: true, session: 'kitchen'}}") == nil)
        #expect(problem("{serve: {mpris: false}, render: {}, 'queue list': {json: true}}") == nil)
    }

    @Test func `A configuration changes keys`() throws {
        let keys = try KeyMap(
            configuration(
                "{keys: {f: 'seek +30', 'page-up': 'volume -10', '5': 'nothing', 'ctrl-a': 'seek 50%', space: 'next'}}"
            ))

        #expect(keys.key(for: .character("f")) == .seek(30))
        #expect(keys.key(for: .pageUp) == .volume(-10))
        #expect(keys.key(for: .character("5")) == .unknown)
        #expect(keys.key(for: .control("a")) == .part(0.5))
        #expect(keys.key(for: .character(" ")) == .player(.next))
        #expect(keys.key(for: .character("n")) == .player(.next))
        #expect(keys.key(for: .character("6")) == .part(0.6))
        #expect(keys.texts.contains(KeyText.Entry(keys: "f", meaning: "seek +30")))
    }

    @Test func `A configuration changes keys of the full screen that the screen does not use`()
        throws
    {
        let keys = try KeyMap(
            configuration(
                "{keys: {z: 'quit', k: 'next', h: 'help', '7': 'seek 70%'}}"))

        #expect(ScreenKey(.character("z"), keys) == .leave)
        #expect(ScreenKey(.character("h"), keys) == .help)
        #expect(ScreenKey(.character("k"), keys) == .move(-1))
        #expect(ScreenKey(.character("n"), keys) == .match(1))
        #expect(ScreenKey(.character("7"), keys) == .player(.part(0.7)))
        #expect(ScreenKey(.character("6"), keys) == .player(.unknown))
        #expect(ScreenKey(.character("h"), keys, in: .library) == .back)
    }
}

/// The program with a configuration file.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A configured program` {
    private func environment(_ text: String, of service: FakeService) throws -> [String: String] {
        let folder = service.runtimeFolder + "/config/undersong"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: folder + "/config.json5"))
        return service.environment.merging(["XDG_CONFIG_HOME": service.runtimeFolder + "/config"]) {
            $1
        }
    }

    @Test func `A configured program asks for what the file says`() throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case Play.method: ControlReply(Play.Reply(run: 1))
            case Subscribe.method: ControlReply(Subscribe.Reply(subscription: 1))
            default: ControlReply(PlayerStatus.paused)
            }
        }
        defer { service.end() }

        let program = try Program(
            ["play", "/a.mp3", "--rate", "2"],
            environment: try environment("{play: {volume: 60, rate: 1.5}}", of: service))
        try service.wait { try !$0.calls(Play.self).isEmpty }
        program.signal(SIGKILL)

        let settings = try #require(try service.calls(Play.self).first?.settings)
        #expect(settings.volume == 60 && settings.rate == 2)
    }

    @Test(arguments: [
        (["pause"], "{plya: {}}", 78), (["play", "/a.mp3"], "{play: {volum: 1}}", 78),
        (["--version"], "{plya: {}}", 0), (["help"], "{", 0),
    ])
    func `A configured program refuses a wrong file, except for help`(
        arguments: [String], text: String, status: Int32
    ) throws {
        let service = try FakeService()
        defer { service.end() }

        let program = try Program(arguments, environment: try environment(text, of: service))

        #expect(try program.wait() == status)
        #expect(program.errorText.hasPrefix("undersong: cannot use ") == (status == 78))
        #expect(service.methods.isEmpty)
    }

    @Test func `A configured program refuses a file that is named and is not there`() throws {
        let service = try FakeService()
        defer { service.end() }
        let path = service.runtimeFolder + "/no.json5"

        let program = try Program(
            ["pause"], environment: service.environment.merging(["UNDERSONG_CONFIG": path]) { $1 })

        #expect(try program.wait() == 78)
        #expect(
            program.errorText == "undersong: cannot use \(path): No such file or directory\n")
    }
}
