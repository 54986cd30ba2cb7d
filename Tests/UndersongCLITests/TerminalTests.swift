import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// `undersong play` on a terminal with a shell and job control.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `Playback on a terminal` {
    @Test
    func `A terminal's line shows what is heard, adapts to the width, and is removed`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("\r▶ 2/12  0:41 / 4:05  First Song")
        try stage.terminal.waitFor("━━━────────────────\u{1B}[K")
        stage.terminal.resize(to: 40)
        try stage.terminal.waitFor("\r▶ 2/12  0:41 / 4:05  First Song\u{1B}[K")
        stage.service.send(.end())
        try stage.terminal.waitFor("ready> ")

        #expect(stage.terminal.text.hasSuffix("\r\u{1B}[Kready> "))
        let subscribe = try #require(stage.service.calls(Subscribe.self).first)
        #expect(subscribe.interval == WireTime(value: 1, timescale: 4))
        #expect(subscribe.isWritten != true)
    }

    @Test func `Keys on a terminal are commands`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type(" np\u{1B}[C\u{1B}OD\u{1B}[A\u{1B}[Bm][=sr")
        try stage.service.wait { $0.methods.count >= 4 + 13 }
        stage.service.send(.end())
        try stage.terminal.waitFor("ready> ")

        #expect(try stage.service.calls(Command.self).map(\.verb) == [.toggle, .next, .previous])
        #expect(try stage.service.calls(SeekBy.self).map(\.by.seconds) == [5, -5])
        let changes = try stage.service.calls(SetSettings.self).map { JSONLine.text(of: $0.change) }
        #expect(
            changes == [
                #"{"volumeBy":5}"#, #"{"volumeBy":-5}"#, #"{"toggleMuted":true}"#,
                #"{"rateBy":1.1}"#, #"{"rateBy":0.9090909090909091}"#, #"{"rate":1}"#,
                #"{"toggleShuffle":true}"#, #"{"nextRepeat":true}"#,
            ])
    }

    @Test func `The first run on a terminal offers to play on in the background, and no later one`()
        throws
    {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor(BackgroundOffer.text)
        stage.service.send(.end())
        try stage.terminal.waitFor("ready> ")
        let calls = try stage.service.calls(GetCapabilities.self).count
        try stage.terminal.run("\(Program.undersong) play /a.mp3", untilPrompt: false)
        try stage.service.wait { try $0.calls(Play.self).count == 2 }
        stage.service.send(.end())
        try stage.terminal.waitFor("ready> ")

        #expect(calls == 1)
        #expect(try stage.service.calls(GetCapabilities.self).count == 1)
    }

    @Test(arguments: [("y", "0", 1), ("", "77", 0)])
    func `A run that would be silent in the background asks once if it may play there`(
        answer: String, status: String, declared: Int
    ) throws {
        let stage = try Stage(playing: { isDeclared in
            var status = PlayerStatus.paused
            status.wantsPlayback = true
            status.status = isDeclared ? .playing : .paused
            status.reason = isDeclared ? nil : .known(.appBackgrounded)
            return status
        })
        defer { stage.service.end() }
        let command = "\(Program.undersong) play --detach /a.mp3"

        try stage.terminal.run(command, untilPrompt: false)
        try stage.terminal.waitFor(BackgroundOffer.question)
        stage.terminal.type(answer + "\n")
        try stage.terminal.waitFor("ready> ")
        let said = stage.terminal.text
        #expect(try stage.terminal.output(of: "echo $?") == status)
        let again = try stage.terminal.output(of: command)

        #expect(said.contains("capability audio on") == (declared == 0))
        #expect(!again.contains(BackgroundOffer.question))
        let calls = try stage.service.calls(DeclareMode.self)
        #expect(calls.map(\.mode) == Array(repeating: .audio, count: declared))
        #expect(calls.allSatisfy { $0.on == true })
    }

    @Test func `A played item leaves a line on the terminal`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        stage.service.send(event: .began("First Song", artist: "First Band", place: 1))
        stage.service.send(event: .ended("First Song", seconds: 245.2, place: 1))
        try stage.terminal.waitFor("2  4:05  First Band - First Song\r\n")
    }

    @Test func `A key shows for a while what it has changed`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("m")
        try stage.terminal.waitFor("0:41 / 4:05  volume 80 %")
        try stage.terminal.waitFor("0:41 / 4:05  First Song")
        stage.terminal.type("x")
        try stage.terminal.waitFor("0:41 / 4:05  ? shows the keys")
    }

    @Test func `The key b allows or forbids music in the background, and says so`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("b")
        try stage.terminal.waitFor("0:41 / 4:05  background sound off")

        let calls = try stage.service.calls(DeclareMode.self)
        #expect(calls.map(\.mode) == [.audio] && calls.map(\.on) == [nil])
        #expect(ScreenKey(.character("b")) == .player(.background))
        #expect(Key(named: "background") == .background)
    }

    @Test func `The key d leaves without stopping, and declares background audio if asked again`()
        throws
    {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("d")
        try stage.terminal.waitFor("Press d again to allow it and detach.")
        let asked = stage.service.methods.last
        stage.terminal.type("d")
        try stage.terminal.waitFor("Playing on in the background")
        try stage.terminal.waitFor("ready> ")

        #expect(asked == GetWhy.method)
        #expect(try stage.terminal.output(of: "echo $?") == "0")
        let calls = try stage.service.calls(DeclareMode.self)
        #expect(calls.map(\.mode) == [.audio] && calls.map(\.on) == [true])
        #expect(try stage.service.calls(Command.self).isEmpty)
    }

    @Test(arguments: ["q", "d"])
    func `The verb watch shows the line, does not count as the host, and stops nothing`(key: String)
        throws
    {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.terminal.run("\(Program.undersong) watch", untilPrompt: false)
        try stage.service.wait { $0.methods.contains(Subscribe.method) }
        stage.show()
        try stage.terminal.waitFor("\r▶ 2/12  0:41 / 4:05  First Song")
        stage.terminal.type(key)
        try stage.terminal.waitFor("ready> ")

        #expect(try stage.terminal.output(of: "echo $?") == "0")
        #expect(stage.service.methods == [Subscribe.method])
    }

    @Test func `The question mark shows the keys above the line, which stays`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("?")
        try stage.terminal.waitFor("these keys\r\n\r▶ 2/12")

        #expect(stage.terminal.text.contains("\r\u{1B}[Kspace  pause, resume"))
    }

    @Test func `Errors are shown above the line`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.service.send(
            event: .error("cannot open /b.mp3: It is not a file"))
        try stage.terminal.waitFor(
            "\r\u{1B}[Kundersong: cannot open /b.mp3: It is not a file\r\n\r▶ 2/12")
    }

    @Test(arguments: [("q", 143), ("\u{3}", 130), ("\u{1C}", 131)])
    func `Ending by a key restores the terminal`(key: String, status: Int) throws {
        let stage = try Stage()
        defer { stage.service.end() }
        let before = try stage.terminal.output(of: "stty -g")

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type(key)
        try stage.service.wait { try !$0.calls(Command.self).isEmpty }
        stage.service.send(.end(.stopped))
        try stage.terminal.waitFor("ready> ")
        let shown = stage.terminal.text

        #expect(try stage.terminal.output(of: "echo $?") == "\(status)")
        #expect(try stage.terminal.output(of: "stty -g") == before)
        #expect(shown.hasSuffix("\u{1B}[Kready> ") || shown.hasSuffix("\r\nready> "))
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGILL, SIGBUS])
    func `Ending by a signal restores the terminal`(number: Int32) throws {
        let stage = try Stage()
        defer { stage.service.end() }
        let before = try stage.terminal.output(of: "stty -g")

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("")
        let process = try #require(stage.process)
        kill(process, number)
        try stage.terminal.waitFor("ready> ")

        #expect(try stage.terminal.output(of: "stty -g") == before)
    }

    @Test func `Ctrl-Z stops the program and restores the terminal, and fg continues`() throws {
        let stage = try Stage()
        defer { stage.service.end() }
        let before = try stage.terminal.output(of: "stty -g")

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        // The offer of a first run, which would otherwise be in the text below.
        try stage.terminal.waitFor("Press d to detach")
        stage.terminal.type("\u{1A}")
        try stage.terminal.waitFor("ready> ")
        let stopped = stage.terminal.text
        try stage.service.wait { try $0.calls(Attach.self).count == 2 }
        let during = try stage.terminal.output(of: "stty -g")
        stage.show()
        let quiet = try stage.terminal.output(of: "echo quiet")
        try stage.terminal.run("fg", untilPrompt: false)
        try stage.terminal.waitFor("▶ 2/12")
        try stage.service.wait { try $0.calls(Attach.self).count == 3 }
        stage.service.send(.end())
        try stage.terminal.waitFor("ready> ")

        #expect(stopped.contains("\r\u{1B}[K\r\n[1]+  Stopped"))
        #expect(during == before)
        #expect(quiet == "quiet")
        let states = try stage.service.calls(Attach.self).map(\.state)
        #expect(states == [.active, .background, .active])
        #expect(try stage.service.calls(Attach.self).allSatisfy { $0.source == "terminal" })
    }

    @Test func `Ctrl-Z restores the terminal, whatever the shell does`() throws {
        let stage = try Stage(shell: Terminal.dash)
        defer { stage.service.end() }
        let before = try stage.terminal.output(of: "stty -g")

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("\u{1A}")
        try stage.terminal.waitFor("ready> ")

        #expect(try stage.terminal.output(of: "stty -g") == before)
    }

    @Test func `Keys work again after SIGSTOP and fg`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("")
        kill(try #require(stage.process), SIGSTOP)
        try stage.terminal.waitFor("ready> ")
        try stage.terminal.run("fg", untilPrompt: false)
        try stage.terminal.waitFor("▶ 2/12")
        stage.terminal.type("n")
        try stage.service.wait { $0.methods.contains(Command.method) }
        stage.terminal.type("q")
        try stage.service.wait { try $0.calls(Command.self).count == 2 }
        stage.service.send(.end(.stopped))
        try stage.terminal.waitFor("ready> ")

        #expect(try stage.service.calls(Command.self).map(\.verb) == [.next, .stop])
    }

    @Test func `A run in the background by bg continues, and fg is noticed without a signal`()
        throws
    {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("\u{1A}")
        try stage.terminal.waitFor("ready> ")
        try stage.terminal.run("bg")
        try stage.service.wait { try $0.calls(Attach.self).count == 3 }
        stage.show()
        let quiet = try stage.terminal.output(of: "echo quiet")
        try stage.terminal.run("fg", untilPrompt: false)
        try stage.service.wait { try $0.calls(Attach.self).count == 4 }
        stage.service.send(.end())
        try stage.terminal.waitFor("ready> ")

        #expect(quiet == "quiet")
        let states = try stage.service.calls(Attach.self).map(\.state)
        #expect(states == [.active, .background, .background, .active])
    }

    @Test func `A start with & is a start in the background`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start("&")
        try stage.service.wait { try !$0.calls(Attach.self).isEmpty }
        let quiet = try stage.terminal.output(of: "stty -echo; stty echo; echo quiet")

        #expect(try stage.service.calls(Attach.self).first?.state == .background)
        #expect(quiet.hasSuffix("quiet"))
    }
}

/// `undersong play` on a terminal of another width.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `Playback on a narrow terminal` {
    @Test
    func `A narrow terminal keeps nothing of a line that was wrapped by its narrowing`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.start()
        stage.show()
        // The cursor stays where the terminal keeps it, at the line's start.
        try stage.terminal.waitFor("━━━────────────────\u{1B}[K\r")
        stage.terminal.resize(to: 30)
        try stage.terminal.waitFor("\r\u{1B}[J\r▶ 2/12  0:41 / 4:05  First S…\u{1B}[K\r")
        stage.service.send(.end())
        try stage.terminal.waitFor("ready> ")
    }

    @Test func `The keys fit a narrow terminal`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        stage.terminal.resize(to: 40)
        try stage.start()
        stage.show()
        try stage.terminal.waitFor("First Song")
        stage.terminal.type("?")
        try stage.terminal.waitFor("these keys\r\n\r▶ 2/12")

        #expect(stage.terminal.text.contains("] [ =  faster, slower, normal speed\r\n"))
    }
}

/// `undersong ui`, which has the whole terminal.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `Playback on a full screen` {
    private static let program = "TERM=xterm \(Program.undersong) ui"

    @Test
    func `A full screen shows and changes the queue, and q leaves, asking about the background`()
        throws
    {
        let stage = try Stage()
        defer { stage.service.end() }
        let before = try stage.terminal.output(of: "stty -g")

        try stage.terminal.run(Self.program, untilPrompt: false)
        try stage.service.wait { $0.methods.contains(Subscribe.method) }
        stage.show()
        try stage.terminal.waitFor("  2  First Song")
        stage.terminal.type("x")
        try stage.service.wait { try $0.queueRequests.contains(.remove([1])) }
        stage.terminal.type("q")
        try stage.terminal.waitFor("Press q again to declare background audio and leave")
        stage.terminal.type("q")
        try stage.terminal.waitFor("ready> ")
        let shown = stage.terminal.text

        #expect(shown.contains(ScreenControl.leave))
        #expect(try stage.service.calls(DeclareMode.self).map(\.mode) == [.audio])
        #expect(try stage.terminal.output(of: "echo $?") == "0")
        #expect(try stage.terminal.output(of: "stty -g") == before)
        #expect(try stage.service.calls(Command.self).isEmpty)
        #expect(try stage.service.calls(Attach.self).map(\.state) == [.active])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGSEGV, SIGABRT])
    func `A signal that ends the full screen restores the terminal`(number: Int32) throws {
        let stage = try Stage()
        defer { stage.service.end() }
        let before = try stage.terminal.output(of: "stty -g")

        try stage.terminal.run(Self.program, untilPrompt: false)
        try stage.service.wait { $0.methods.contains(Subscribe.method) }
        stage.show()
        try stage.terminal.waitFor("  2  First Song")
        stage.terminal.type("")
        kill(try #require(stage.process), number)
        try stage.terminal.waitFor(ScreenControl.leave)
        try stage.terminal.waitFor("ready> ")

        #expect(try stage.terminal.output(of: "stty -g") == before)
    }

    @Test func `Ctrl-Z leaves the full screen, and fg draws everything again`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.terminal.run(Self.program, untilPrompt: false)
        try stage.service.wait { $0.methods.contains(Subscribe.method) }
        stage.show()
        try stage.terminal.waitFor("2  First Song")
        stage.terminal.type("\u{1A}")
        try stage.terminal.waitFor("ready> ")
        let stopped = stage.terminal.text
        try stage.terminal.run("fg", untilPrompt: false)
        try stage.terminal.waitFor("2  First Song")

        #expect(stopped.contains(ScreenControl.leave))
        #expect(stage.terminal.text.contains(ScreenControl.enter))
    }

    @Test func `The full screen has the mouse while it has the terminal`() throws {
        let stage = try Stage()
        defer { stage.service.end() }

        try stage.terminal.run(Self.program, untilPrompt: false)
        try stage.service.wait { $0.methods.contains(Subscribe.method) }
        stage.show()
        try stage.terminal.waitFor("2  First Song")
        let shown = stage.terminal.text
        stage.terminal.type("\u{1B}[<0;5;3M\u{1B}[<0;5;3m\u{1B}[<0;5;3M")
        try stage.service.wait { $0.methods.contains(Jump.method) }
        stage.terminal.type("\u{1A}")
        try stage.terminal.waitFor("ready> ")

        #expect(shown.contains(ScreenControl.mouse))
        #expect(try stage.service.calls(Jump.self).map(\.item) == [1])
        #expect(stage.terminal.text.contains("\u{1B}[?1006l\u{1B}[?1000l"))
    }

    @Test(arguments: [
        // `swift test` may set NO_COLOR for its tests.
        ("NO_COLOR=1", false), ("NO_COLOR=", true), ("NO_COLOR= LC_ALL=C", true),
    ])
    func `The full screen has colours unless they are refused, and ASCII where that is needed`(
        variable: String, hasColours: Bool
    ) throws {
        let stage = try Stage(playing: { _ in
            var status = PlayerStatus.paused
            (status.status, status.reason) = (.playing, nil)
            return status
        })
        defer { stage.service.end() }

        try stage.terminal.run("\(variable) \(Self.program)", untilPrompt: false)
        try stage.service.wait { $0.methods.contains(Subscribe.method) }
        stage.show()
        try stage.terminal.waitFor("2  First Song")
        let isPlain = variable.hasSuffix("LC_ALL=C")
        let symbol = isPlain ? "> 2/12" : "▶ 2/12"
        let green = Style.coloured(.green, isBold: true).sequence(hasColours: hasColours)
        // The answer to a question may come after the events, and undo them. Everything is drawn again,
        // otherwise only what has changed is.
        try waitUntil {
            stage.show()
            stage.terminal.type("\u{0C}")
            // The end of the last row.
            try stage.terminal.waitFor("2 library")
            return stage.terminal.text.contains(green + symbol)
        }
        let shown = stage.terminal.text
        stage.terminal.type("\u{1A}")
        try stage.terminal.waitFor("ready> ")

        #expect(shown.contains(";32m") == hasColours)
        #expect(shown.contains("─") == !isPlain)
    }

    @Test(arguments: [
        ("TERM=dumb", "", "The terminal, by TERM, cannot place its cursor"),
        ("TERM=xterm", " | cat", "Standard input and output are not a terminal"),
    ])
    func `The full screen is refused where it cannot be shown`(
        term: String, pipe: String, why: String
    ) throws {
        let terminal = try Terminal(environment: [:])

        let shown = try terminal.output(of: "\(term) \(Program.undersong) ui\(pipe)")

        #expect(shown.contains("undersong: cannot show a full screen: \(why)"))
    }
}

/// A shell, and a service that plays for the programs started in it.
private final class Stage {
    let service: FakeService
    let terminal: Terminal

    /// `playing` is the status by whether the audio mode has been declared.
    init(
        shell: [String] = Terminal.bash,
        playing: @escaping @Sendable (Bool) -> PlayerStatus = { _ in .paused }
    ) throws {
        let isDeclared = Atomic(false)
        service = try FakeService { request, _ in
            switch request.method {
            case Play.method: return ControlReply(Play.Reply(run: 1))
            case Subscribe.method: return ControlReply(Subscribe.Reply(subscription: 1))
            case SetSettings.method: return ControlReply(Settings.usual)
            case GetWhy.method: return ControlReply(Why.backgrounded)
            case ListQueue.method, RemoveFromQueue.method:
                let items = [1, 2].map {
                    ListedItem(
                        id: $0, title: "First Song", path: "/\($0).mp3",
                        duration: WireTime(value: 245, timescale: 1))
                }
                return try QueueRequest(request)?
                    .answer(from: QueueList(items: items, current: 2))
            case DeclareMode.method, GetCapabilities.method:
                if request.method == DeclareMode.method {
                    isDeclared.store(true, ordering: .relaxed)
                }
                return ControlReply(CapabilityStatus(Capabilities(), source: "/Info.plist"))
            default: return ControlReply(playing(isDeclared.load(ordering: .relaxed)))
            }
        }
        terminal = try Terminal(environment: service.environment, shell: shell)
    }

    /// Starts the player and waits until it has requested a run.
    func start(_ suffix: String = "") throws {
        try terminal.run("\(Program.undersong) play /a.mp3 \(suffix)", untilPrompt: false)
        try service.wait { $0.methods.contains(Play.method) }
    }

    /// Sends the events of the second of twelve songs.
    func show() {
        service.send(event: .queue(count: 12, place: 1))
        service.send(event: .began("First Song", seconds: 245.2, place: 1))
        service.send(event: .time(41.25, place: 1))
    }

    /// The player's process, which is the terminal's foreground job.
    var process: pid_t? {
        let path = "/proc/\(terminal.shell)/task/\(terminal.shell)/children"
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text?.split(separator: " ").first.flatMap { pid_t($0) }
    }
}
