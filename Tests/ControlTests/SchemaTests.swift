import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

import enum UndersongPlayback.PlayerCommand
import struct UndersongPlayback.SettingTable
import struct UndersongPlayback.Settings
import struct UndersongPlayback.SettingsChange
import struct UndersongPlayback.WireTime

@testable import UndersongControl

@Suite(.blockingThreads) struct `Every message` {
    @Test func `fits the schema, and has nothing that the schema lacks`() throws {
        let violations = try violations(of: Samples().lines)

        #expect(violations == "")
    }

    @Test(arguments: [
        "request {\"jsonrpc\":\"2.0\",\"method\":\"sing\"}",
        "request {\"jsonrpc\":\"2.0\",\"method\":\"player.status\",\"params\":{\"x\":1}}",
        "request {\"jsonrpc\":\"2.0\",\"method\":\"queue\",\"params\":{\"action\":{\"add\":{}}}}",
        "player.status.result {\"status\":\"asleep\"}",
        "notice {\"jsonrpc\":\"2.0\",\"method\":\"readerGone\",\"params\":{}}",
    ])
    func `violates the schema if it is malformed`(line: String) throws {
        #expect(try violations(of: [line]) != "")
    }

    @Test func `belongs to a method of the schema`() throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: schemaFile)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])

        for (kind, names) in [("request", Samples().methods), ("notice", Samples().notices)] {
            let properties = definitions[kind]?["properties"] as? [String: [String: Any]]
            #expect(names.isSubset(of: properties?["method"]?["enum"] as? [String] ?? []))
            for name in names {
                #expect(definitions[name] != nil)
                #expect(kind == "notice" || definitions[name + ".result"] != nil)
            }
        }
    }

    @Test func `is decoded as it was encoded`() throws {
        for action in Samples.actions {
            let json = try JSONLine.bytes(of: Queue(action))

            #expect(try Message.value(Queue.self, in: json).action == action)
        }
        for (text, action) in [
            (#"{}"#, Queue.Action.list(offset: 0, limit: 1000)),
            (#"{"limit":7}"#, .list(offset: 0, limit: 7)),
        ] {
            let json = Array("{\"action\":{\"list\":\(text)}}".utf8)

            #expect(try Message.value(Queue.self, in: json).action == action)
        }
        #expect(throws: DecodingError.self) {
            try Message.value(WireTime.self, in: Array(#"{"value":1,"timescale":0}"#.utf8))
        }
    }

    private var schemaFile: URL {
        URL(filePath: #filePath)
            .appending(path: "../../../Documentation/protocol/control.schema.json")
            .standardizedFileURL
    }

    /// Violations of the schema by lines that each begin with the name of a definition. Members
    /// that the definition does not have are violations too.
    private func violations(of lines: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", Self.validator, schemaFile.path]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(
            contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try input.fileHandleForWriting.close()
        let report = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0
            ? String(decoding: report, as: UTF8.self) : "The validator failed"
    }

    private static let validator = """
        import json, sys, jsonschema
        def close(part):
            if isinstance(part, dict):
                if isinstance(part.get("properties"), dict) and part.get("type") == "object":
                    part.setdefault("additionalProperties", False)
                elif part.get("type") == "object" and len(part) == 2 and "description" in part:
                    pass
                for inner in part.values(): close(inner)
            elif isinstance(part, list):
                for inner in part: close(inner)
        schema = json.load(open(sys.argv[1]))
        jsonschema.Draft202012Validator.check_schema(schema)
        close(schema)
        checkers = {}
        for line in sys.stdin:
            name, text = line.split(" ", 1)
            if name not in schema["$defs"]: print("no definition of", name)
            checker = checkers.setdefault(name, jsonschema.Draft202012Validator(
                {"$ref": "#/$defs/" + name, "$defs": schema["$defs"]}))
            for error in checker.iter_errors(json.loads(text)):
                print(name, error.json_path, error.message)
        """
}

/// Every message, in its longest and shortest forms.
private struct Samples {
    static let files = Files(
        ["/music/\"ä\".mp3", "-"], start: WireTime(value: 1, timescale: 1),
        end: WireTime(value: 5, timescale: 2))
    static let actions: [Queue.Action] = [
        .list(), .list(offset: 5, limit: 10), .search(["a", "b"]), .replace(files), .undo,
        .add(files), .add(Files([String]())), .insert(files, after: 3), .insert(files, after: nil),
        .move(3, after: 4), .move(3, after: nil), .remove([1, 2]), .clear, .jump(7),
        .redo, .shuffle, .sort(by: "title"), .crop(), .crop(["a"]), .dedupe,
    ]

    private(set) var lines: [String] = []
    private(set) var methods: Set<String> = []
    private(set) var notices: Set<String> = []

    init() {
        addPlaying()
        addQueue()
        addHost()
        addEvents()
        addPushes()
        lines.append(
            line(
                "reply",
                Message.reply(to: .number(1), .failure(ControlError(.notFound, "cannot\n")))))
    }

    private mutating func addPlaying() {
        var greeting = Hello.Reply(protocol: 1, version: "1", session: "x", process: 2)
        greeting.heldBy = 3
        add(Hello(client: "x"), greeting)
        var change = SettingsChange()
        for row in SettingTable.rows(in: .wire) { change[row.name] = row.otherValue }
        change.volumeBy = -5
        change.toggleMuted = true
        change.rateBy = 1.1
        change.nextRepeat = true
        change.toggleShuffle = true
        (change.toggleSingle, change.toggleConsume, change.rateStep) = (true, true, 0.1)
        change.outputDevice = ""
        add(
            Play(
                files: Self.files, output: .pulse(server: "tcp:x", device: "sink", cookie: "/c"),
                backgroundAudio: true, settings: change), Play.Reply(run: 1))
        add(Play(files: Files([String]()), output: .pulse(server: nil, device: nil)))
        add(
            Play(
                files: nil, output: .pulseSimple(server: "tcp:x", device: "sink", cookie: "/c")))
        add(Play(files: nil, output: .null))
        add(Play(files: nil, output: nil, settings: SettingsChange()))
        for verb in Command.Verb.allCases { add(Command(verb), status) }
        add(
            Seek(to: WireTime(value: 3, timescale: 44100)),
            Seek.Reply(finished: true, position: WireTime(value: 3, timescale: 44100)))
        add(Seek(by: WireTime(value: -3, timescale: 1)))
        add(Seek(toFraction: 0.5))
        add(SetSettings(change), settings)
        add(Sleep(), SleepReport())
        add(Sleep.never, SleepReport(remaining: 1799.5, fade: 10, fading: false, after: .queue))
        add(Sleep(seconds: 1800, fade: 0, after: "item"))
        add(Sleep(onlyAfter: "item"))
        add(Play(files: nil, sleep: Sleep(seconds: nil, after: "queue")))
        var louder = GetItem.Reply(item: entry)
        louder.replayGain = AppliedGain(mode: .album, decibels: 2, source: .tags)
        add(
            GetItem(), GetItem.Reply(), louder,
            GetItem.Reply(
                item: entry, tags: ["artist": "a"],
                format: GetItem.Format(sampleRate: 44100, channels: 2, encoding: "MPEG"),
                chapters: [
                    GetItem.Chapter(
                        title: "One", start: WireTime(value: 0, timescale: 1000),
                        end: WireTime(value: 1, timescale: 1)),
                    GetItem.Chapter(start: WireTime(value: 1, timescale: 1)),
                ]))
        add(GetCover(), GetCover.Reply(), GetCover.Reply(item: 3, url: "file:///cover.jpg"))
        let played = PlayedEntry(path: "/x.mp3", title: "x", began: 1.5, seconds: 2)
        var scrobble = played
        (scrobble.artist, scrobble.album) = ("y", "z")
        (scrobble.duration, scrobble.finished) = (9.5, false)
        add(GetHistory(limit: 5), GetHistory.Reply(entries: [played, scrobble]))
        add(GetWhy(), why(isFull: true), why(isFull: false))
        add(GetOutputs(), outputs, noOutputs)
        add(SetOutput(device: nil), noOutputs)
        add(SetOutput(device: "usb"), outputs)
    }

    private mutating func addQueue() {
        let long = ListedItem(
            id: 3, title: "z", path: "/z.mp3", resume: WireTime(value: 1, timescale: 1000),
            finished: true)
        let list = QueueList(
            items: [entry, ListedItem(id: 2, title: "y", path: "-"), long], current: 1)
        for action in Self.actions {
            var reply = Queue.Reply(queue: list, added: [2], problems: ["cannot"])
            reply.failedCount = 1
            add(Queue(action), reply)
        }
        add(Queue(.list()), Queue.Reply(queue: QueueList(items: [], current: nil)))
        var found = Queue.Reply(
            queue: QueueList(items: [entry], current: nil, offset: 7, count: 1_000_000),
            addedCount: 2000)
        found.found = [Queue.FoundEntry(place: 8, entry: cutEntry)]
        add(Queue(.search(["x"])), found)
    }

    private mutating func addHost() {
        add(Host("auto"), Host.Reply(state: "inactive", source: "option"))
        add(Host(), Host.Reply(state: "background", source: "none"))
        let mode = Capability.Mode(mode: "audio", declared: true, supported: true)
        add(Capability(), Capability.Reply(modes: [mode], source: "/x/Info.plist"))
        add(Capability("audio", on: false), Capability.Reply(modes: [], source: "none"))
        add(
            BeginTask(name: "x"), BeginTask.Reply(task: 1, timeRemaining: 29.5),
            BeginTask.Reply(task: nil, timeRemaining: nil))
        add(EndTask(1), Nothing())
        add(GetTime(), GetTime.Reply(timeRemaining: 1), GetTime.Reply(timeRemaining: nil))
        addRefresh()
        add(
            AnalyzeFiles(files: Samples.files), AnalyzeFiles.Reply(outcome: "finished"),
            AnalyzeFiles.Reply(outcome: "failed", reason: "it was ended early"))
        add(AnalyzeFiles(files: nil), AnalyzeFiles.Reply(outcome: "finished"))
        var analysis = Analysis(.analyzed, path: "/music/a.mp3", reason: "none")
        analysis.loudness = Analysis.Loudness(
            integrated: -14.2, truePeak: 1.02, samplePeak: 0.98, gain: -3.8)
        analysis.seconds = 12.5
        analysis.damage = ["12 bytes after the last frame"]
        add(notice: analysis)
        for kind in Analysis.Kind.allCases { add(notice: Analysis(kind)) }
        add(notice: TaskExpiring(task: 1, timeRemaining: 4.9))
        add(notice: TaskTerminated(task: 1))
    }

    private mutating func addPushes() {
        var send = PushCall.send("{\"aps\":{}}", token: "00ff", topic: "a", id: "b")
        (send.type, send.now) = ("alert", true)
        var reply = PushCall.Reply()
        (reply.push, reply.phase, reply.because, reply.duplicate) = (1, "held", "throttled", true)
        add(send, reply, PushCall.Reply())
        var token = PushCall.Reply()
        token.token = "00ff"
        add(PushCall(.token), token)
        var provider = PushCall(.provider)
        (provider.provider, provider.url) = ("ntfy", "https://ntfy.example/t")
        var state = PushCall.Reply()
        state.state = pushes
        add(provider, state)
        (provider.provider, provider.url) = ("unifiedpush", nil)
        (provider.distributor, provider.vapid) = ("kde", "B")
        state.state?.provider = "unifiedpush"
        for subscription in subscriptions {
            state.state?.subscription = subscription
            add(provider, state)
        }
        (token.token, token.state) = ("00ff", state.state)
        add(PushCall(.token), token)
        state.state = PushState(provider: "local", declared: false, programs: 0, wakes: 3)
        add(PushCall(.status), state)
        var register = PushCall(.register)
        register.topics = ["a"]
        add(register, token)
        add(PushCall(.unregister), PushCall.Reply())
        add(PushCall.answer(1, "newData"), PushCall.Reply())
        add(PushCall.missing(id: "b"), reply)
        add(PushCall.refused(because: "It is damaged"), PushCall.Reply())
        add(
            notice: PushReceived(
                push: 1, topic: "a", userInfo: "{\"aps\":{}}", timeRemaining: 30, attempt: 1))
        add(notice: PushExpired(push: 1))
    }

    private var subscriptions: [PushSubscription] {
        var full = PushSubscription(state: "registered", refused: 1)
        (full.distributor, full.endpoint) = ("org.unifiedpush.Distributor.kde", "https://e/x")
        full.startable = false
        (full.p256dh, full.auth, full.refusal, full.retry) = ("B", "a", "it is damaged", 1.5)
        let problems = [
            "noBus", "nameTaken", "noDistributor", "notKept", "noKeys", "internalError", "network",
            "actionRequired", "vapidRequired", "unauthorized", "noAnswer", "noEndpoint",
            "invalidAnswer", "unregistered", "unknown",
        ]
        return [full, PushSubscription(state: "registering")]
            + problems.map { PushSubscription(state: "failed", because: $0) }
    }

    private var pushes: PushState {
        PushState(
            provider: "ntfy", url: "https://ntfy.example/t", declared: true, programs: 1, wakes: 0,
            nextWake: 600.5,
            waiting: ["shutDown", "notDeclared", "noWake", "noProgram", "busy", "throttled"].map {
                PushState.Waiting(push: 1, topic: "a", because: $0, received: 1.5, wait: 2.5)
            }, counts: PushState.Counts(received: 1))
    }

    private mutating func addEvents() {
        let time = WireTime(value: 1, timescale: 100)
        var outbox = Outbox()
        for size in [10, 250_000, 250_000] {
            let event = Array("{\"event\":\"\(String(repeating: "x", count: size))\"}".utf8)
            _ = outbox.append(event, subscription: 1, isDroppable: true)
        }
        outbox.remove(outbox.count)
        _ = outbox.append(Array("{}".utf8), subscription: 1, isDroppable: true)
        var buffer = [UInt8](repeating: 0, count: outbox.count)
        let length = buffer.withUnsafeMutableBytes { outbox.render(into: $0) }
        lines.append(line("notice", Array(buffer.prefix(length))))
        notices.insert("event")
    }

    private mutating func add<Call: ControlCall>(_ call: Call, _ replies: Call.Reply...) {
        methods.insert(Call.method)
        guard let params = try? JSONLine.bytes(of: call) else { return }
        lines.append(
            line(
                "request",
                Message.request(id: 1, method: Call.method, params: params, descriptors: 1)))
        for reply in replies {
            guard let json = try? JSONLine.bytes(of: reply) else { continue }
            lines.append(line(Call.method + ".result", json))
            let reply = Message.reply(to: .text("x"), .success(ControlReply(reply)))
            lines.append(line("reply", reply))
        }
    }

    private mutating func add<Notice: ControlNotice>(notice: Notice) {
        notices.insert(Notice.method)
        guard let params = try? JSONLine.bytes(of: notice) else { return }
        lines.append(line("notice", Message.notice(method: Notice.method, params: params)))
    }

    private func line(_ definition: String, _ json: [UInt8]) -> String {
        let text = String(decoding: json, as: UTF8.self)
        return "\(definition) \(text.hasSuffix("\n") ? String(text.dropLast()) : text)"
    }

    private var cutEntry: ListedItem {
        var entry = entry
        entry.missing = true
        return entry
    }
    private let entry = ListedItem(
        id: 1, title: "x", path: "/x.mp3", duration: WireTime(value: 1, timescale: 3),
        start: WireTime(value: 1, timescale: 75), end: WireTime(value: 2, timescale: 75))
    private let settings = Settings(.other)

    private var status: PlayerStatus {
        var status = PlayerStatus(
            status: .paused, reason: .known(.userPaused), wantsPlayback: false, item: entry,
            place: 0, count: 1, position: WireTime(value: 0, timescale: 1), settings: settings,
            host: .active, hostSource: "terminal")
        status.replayGain = AppliedGain(mode: .track, decibels: -3.8, source: .measured)
        status.heldBy = 3
        return status
    }

    private var outputs: Outputs {
        let device = Outputs.Device(
            name: "usb", description: "USB Audio", port: "USBAudio", isAvailable: true,
            isSuspended: false, volume: 74.5, isDefault: true, isCurrent: true)
        return Outputs(
            server: "pulseaudio 16.1", lostReason: nil, current: device, chosen: "usb",
            devices: [device])
    }

    private let noOutputs = Outputs(
        server: nil, lostReason: "Connection refused", current: nil, chosen: nil, devices: [])

    private func why(isFull: Bool) -> Why {
        var why = Why(
            status: status, suppressions: [.init(reason: "appBackgrounded", since: 1)], now: 2,
            hostSince: 1,
            clients: [.init(name: "undersong", process: 1, state: "active", source: "terminal")],
            hostOverride: isFull ? "active" : nil, loginSession: isFull ? "locked" : nil,
            category: "playback", audioCapability: true, capabilitySource: "none", output: "null",
            tasks: ["x"],
            sound: isFull
                ? Why.Sound(
                    outputs: outputs, lostSince: 5,
                    interruptions: [
                        .init(source: "call", by: "Ekiga"), .init(source: "sleep", by: nil),
                    ]) : nil,
            stateTrouble: isFull ? "cannot keep the queue: The disk is full" : nil,
            backgroundTimeRemaining: isFull ? 3.5 : nil)
        if isFull { why.pushes = pushes }
        return why
    }
}
