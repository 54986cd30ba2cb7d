import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

@Suite(.blockingThreads) struct `A watch for the sound server` {
    private let noOutput = PlayerEvent.state(.waiting, .noOutput)
    private let lost = PlayerEvent(
        .mediaServicesWereLost(reason: "Connection refused"), .waiting)

    @Test func `The watch for the sound server gives up at the deadline with the reason, once`() {
        var watch = OutputWatch()

        #expect(watch.begin() == nil)
        #expect(watch.handle(noOutput) == .wait(1))
        #expect(watch.handle(lost) == nil)
        #expect(watch.isOver(1) == .giveUp("Connection refused"))
        #expect(watch.hasGivenUp)
        #expect(watch.handle(noOutput) == nil)
    }

    @Test func `The watch's deadline counts from its start, whatever was reported before`() {
        var watch = OutputWatch()

        #expect(watch.handle(noOutput) == nil)
        #expect(watch.begin() == .wait(1))
        #expect(watch.isOver(1) == .giveUp("It does not answer"))
    }

    @Test func `The watch never gives up before its start, or once something has played`() {
        var running = OutputWatch()
        var played = OutputWatch()

        #expect(running.handle(noOutput) == nil)
        #expect(running.isOver(1) == nil)
        _ = played.begin()
        #expect(played.handle(.state(.waiting)) == .wait(1))
        #expect(played.handle(.state(.playing)) == nil)
        #expect(played.handle(noOutput) == nil)
        #expect(played.isOver(1) == nil)
    }

    @Test func `The watch's deadline does not count the time while the player is paused`() {
        var watch = OutputWatch()
        _ = watch.begin()

        #expect(watch.handle(noOutput) == .wait(1))
        #expect(
            watch.handle(.state(.paused, .userPaused))
                == nil)
        #expect(watch.handle(noOutput) == .wait(2))
        #expect(watch.isOver(1) == nil)
        #expect(watch.isOver(2) != nil)
    }

    @Test func `The watch gives up later if the failure comes after the deadline`() {
        var watch = OutputWatch()
        _ = watch.begin()

        #expect(
            watch.handle(
                .state(.waiting, .evaluatingBufferingRate))
                == .wait(1))
        #expect(watch.isOver(1) == nil)
        #expect(watch.handle(lost) == .giveUp("Connection refused"))
    }
}

/// `undersong play` without a sound server, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A run without a sound server` {
    /// Answers everything, reports that there is no sound server, and records the requests.
    private static let script = #"""
        #!/usr/bin/python3
        import json, os, socket, sys
        folder = os.path.dirname(sys.argv[0])
        client = socket.socket(fileno=3).accept()[0]
        def send(message):
            client.sendall((json.dumps(message, separators=(",", ":")) + "\n").encode())
        def notify(event):
            event |= {"seq": 1, "monotonic": 1, "place": 0, "generation": 0, "state": "active",
                      "status": "waiting"}
            send({"jsonrpc": "2.0", "method": "event", "params": {"subscription": 1, "data": event}})
        log = open(folder + "/calls", "w")
        for line in client.makefile():
            call = json.loads(line)
            log.write(call["method"] + " " + json.dumps(call["params"].get("verb")) + "\n")
            log.flush()
            result = {"protocol": 1, "version": "0", "session": "default", "process": 1, "run": 1,
                      "subscription": 1}
            if call["method"] == "player.command":
                send({"jsonrpc": "2.0", "method": "runEnded", "params":
                      {"run": 1, "reason": "stopped", "played": 0, "failed": 0}})
                continue
            send({"jsonrpc": "2.0", "id": call["id"], "result": result})
            if call["method"] == "player.play":
                notify({"event": "state", "reason": "noOutput", "rate": 0,
                      "position": {"value": 0, "timescale": 1, "seconds": 0}})
                notify({"event": "mediaServicesWereLost", "reason": "Gone fishing"})

        """#

    @Test func `A run without a sound server is stopped at the deadline, and fails with 69`() throws
    {
        let service = try FakeService(session: nil)
        defer { service.end() }
        let folder = service.runtimeFolder + "/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try copyExecutable(from: Program.undersong, to: folder + "/undersong")
        try makeExecutable(Self.script, at: folder + "/undersongd")

        let program = try Program(
            ["play", "--output-deadline", "0.3", "--server", "unix:/nowhere", "/a.mp3"],
            environment: service.environment, by: folder + "/undersong")

        #expect(try program.wait() == 69)
        #expect(
            program.errorText
                == "undersong: cannot connect to the sound server unix:/nowhere: Gone fishing\n")
        #expect(
            try String(contentsOfFile: folder + "/calls", encoding: .utf8)
                .hasSuffix("\nplayer.command \"stop\"\n"))
    }

    @Test func `A run without a sound server continues if the service was already running`() throws
    {
        let service = try FakeService { request, _ in
            switch request.method {
            case Subscribe.method: ControlReply(Subscribe.Reply(subscription: 1))
            case Play.method: ControlReply(Play.Reply(run: 1))
            default: nil
            }
        }
        defer { service.end() }

        let program = try Program(
            ["play", "--output-deadline", "0.1", "/a.mp3"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(event: .state(.waiting, .noOutput))
        Thread.sleep(forTimeInterval: 0.5)
        service.send(SessionEnd(reason: .finished, playedCount: 1, failedCount: 0, run: 1))

        #expect(try program.wait() == 0)
        #expect(service.methods.contains(Command.method) == false)
    }
}
