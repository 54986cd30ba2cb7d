import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

import enum UndersongPlayback.PlayerCommand

@testable import UndersongCLI

/// Unexpected silence, and its report.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `Silence in the background` {
    private static let line =
        "undersong: paused: music may not play in the background yet. "
        + "Allow it with: undersong capability audio on\n"

    private static var silent: PlayerStatus {
        var status = PlayerStatus.paused
        (status.wantsPlayback, status.reason) = (true, .known(.appBackgrounded))
        return status
    }

    @Test(arguments: [PlayerCommand.resume, .toggle], [false, true])
    func `Silence in the background fails a verb that requests sound, with its own status`(
        verb: PlayerCommand, isJSON: Bool
    ) throws {
        let service = try FakeService { _, _ in ControlReply(Self.silent) }
        defer { service.end() }

        let program = try Program(
            [verb.rawValue] + (isJSON ? ["--json"] : []), environment: service.environment)

        #expect(try program.wait() == 77)
        #expect(program.errorText == Self.line)
        #expect(program.text.contains(isJSON ? "appBackgrounded" : "silent in the background"))
    }

    @Test(arguments: [PlayerCommand.next, .previous])
    func `Silence in the background is reported by next and previous`(verb: PlayerCommand) throws {
        let service = try FakeService { _, _ in ControlReply(Self.silent) }
        defer { service.end() }

        let program = try Program([verb.rawValue], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.errorText == Self.line)
    }

    @Test func `Silence in the background is reported by a jump in the queue`() throws {
        let items = (11...13).map { ListedItem(id: $0, title: "\($0)", path: "/\($0).mp3") }
        let service = try FakeService { request, _ in
            let queue = QueueList(items: items, current: 12)
            return request.method == Jump.method
                ? ControlReply(Jump.Reply(queue: queue, status: Self.silent))
                : try QueueRequest(request)?.answer(from: queue)
        }
        defer { service.end() }

        let program = try Program(["queue", "jump", "1"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.errorText == Self.line)
    }

    @Test func `Silence is not reported if it is wanted, or if there is nothing to play`() {
        var unwanted = Self.silent
        unwanted.wantsPlayback = false
        var over = Self.silent
        over.item = nil
        var interrupted = Self.silent
        interrupted.reason = .known(.interrupted)

        let silences = [Self.silent, unwanted, over, interrupted].map(BackgroundSilence.isReason)

        #expect(silences == [true, false, false, false])
    }

    @Test func `Silence is reported once each time it begins, by verbs that follow`() throws {
        let service = try FakeService { request, _ in
            request.method == Play.method
                ? ControlReply(Play.Reply(run: 1)) : ControlReply(Subscribe.Reply(subscription: 1))
        }
        defer { service.end() }
        let silent = PlayerEvent.state(.paused, .appBackgrounded)
        let sounding = PlayerEvent.state(.playing)

        let program = try Program(
            ["play", "/a.mp3", "--host", "background"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        for event in [silent, silent, sounding, silent] { service.send(event: event) }
        service.send(.end())

        #expect(try program.wait() == 0)
        #expect(program.errorText == Self.line + Self.line)
    }

    @Test func `Silence is not reported for a queue that was heard to its end`() {
        var silence = BackgroundSilence()
        let event = PlayerEvent.state(.paused, .appBackgrounded)
        let end = PlayerEvent.state(.waiting, .noItemToPlay)

        let said = [end, event, .queue(), event].map {
            silence.handle($0, isForeground: false)
        }

        #expect(said == [false, false, false, true])
    }

    @Test func `Silence is not reported by a program that is back in the foreground`() {
        var silence = BackgroundSilence()
        let event = PlayerEvent.state(.paused, .appBackgrounded)

        _ = silence.handle(.application(.active, source: "terminal"), isForeground: false)

        let inFront = silence.handle(event, isForeground: true)
        let inBackground = silence.handle(event, isForeground: false)

        #expect(!inFront && inBackground)
    }

    @Test func `Silence is reported in the foreground if the host's state is overridden`() {
        var silence = BackgroundSilence()
        let event = PlayerEvent.state(.paused, .appBackgrounded)

        _ = silence.handle(.application(.active, source: "option"), isForeground: true)

        let isSaid = silence.handle(event, isForeground: true)

        #expect(isSaid)
    }
}
