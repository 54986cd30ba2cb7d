import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongPlayback

@testable import UndersongCLI

/// The words of what is heard.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The verb lyrics` {
    private static let timed = Lyrics(
        lines: [
            Lyrics.Line(seconds: 10, "First"), Lyrics.Line(seconds: 10, "Erste"),
            Lyrics.Line(seconds: 12.5, ""), Lyrics.Line(seconds: 70, "Last"),
        ], source: .lrcFile)
    private static let plain = Lyrics(
        lines: [Lyrics.Line("One"), Lyrics.Line("Two")], source: .tag)

    private static func event(_ kind: PlayerEvent.Kind, item: Int, at seconds: Double)
        -> PlayerEvent
    {
        var event = PlayerEvent(kind)
        event.head.item = ItemID(item)
        event.head.position = CMTime(value: Int64(seconds * 1000), timescale: 1000)
        return event
    }

    private static func line(_ item: Int, _ seconds: Double?, _ text: String) -> HeardLyrics.Effect
    {
        .write(HeardLyrics.Line(item: item, seconds: seconds, text: text))
    }

    @Test func `Words with times are shown with them, and a pause as an empty line`() {
        #expect(
            LyricsText.lines(Self.timed) == ["[0:10] First", "[0:10] Erste", "", "[1:10] Last"])
        #expect(LyricsText.lines(Self.plain) == ["One", "Two"])
    }

    @Test func `Words are written when they are heard, and again after a jump back`() {
        var lyrics = HeardLyrics()

        #expect(lyrics.ask() == [.ask])
        #expect(
            lyrics.receive(ItemLyrics(item: 1, lyrics: Self.timed), position: 3)
                == [.watch([10, 10, 12.5, 70])])
        #expect(
            lyrics.handle(Self.event(.boundary, item: 1, at: 10))
                == [Self.line(1, 10, "First"), Self.line(1, 10, "Erste")])
        // The second boundary of the same time.
        #expect(lyrics.handle(Self.event(.boundary, item: 1, at: 10)) == [])
        #expect(lyrics.handle(Self.event(.state, item: 1, at: 11)) == [])
        #expect(
            lyrics.handle(Self.event(.boundary, item: 1, at: 12.5)) == [Self.line(1, 12.5, "")])
        #expect(
            lyrics.handle(Self.event(.jump, item: 1, at: 11))
                == [Self.line(1, 10, "First"), Self.line(1, 10, "Erste")])
        #expect(lyrics.handle(Self.event(.jump, item: 1, at: 2)) == [])
        #expect(
            lyrics.handle(Self.event(.boundary, item: 1, at: 10))
                == [Self.line(1, 10, "First"), Self.line(1, 10, "Erste")])
    }

    @Test func `Words begin with the line that is heard already`() {
        var lyrics = HeardLyrics()
        _ = lyrics.ask()

        #expect(
            lyrics.receive(ItemLyrics(item: 1, lyrics: Self.timed), position: 100)
                == [.watch([10, 10, 12.5, 70]), Self.line(1, 70, "Last")])
    }

    @Test
    func `Words of the next item are asked for once, and an empty line ends the earlier ones`() {
        var lyrics = HeardLyrics()
        _ = lyrics.ask()
        _ = lyrics.receive(ItemLyrics(item: 1, lyrics: Self.plain), position: 0)

        #expect(lyrics.handle(Self.event(.state, item: 2, at: 0)) == [.ask])
        #expect(lyrics.handle(Self.event(.jump, item: 2, at: 0)) == [])
        // The answer may be about the earlier item, since there were events after the question.
        #expect(lyrics.receive(ItemLyrics(item: 1, lyrics: Self.plain), position: 0) == [.ask])
        #expect(
            lyrics.receive(ItemLyrics(item: 2, lyrics: nil), position: 0)
                == [Self.line(1, nil, "")])
        #expect(lyrics.handle(Self.event(.jump, item: 2, at: 5)) == [])
        #expect(lyrics.handle(Self.event(.state, item: 3, at: 0)) == [.ask])
        #expect(
            lyrics.receive(ItemLyrics(item: 3, lyrics: Self.plain), position: 0)
                == [Self.line(3, nil, "One"), Self.line(3, nil, "Two")])
    }

    @Test func `Words of an earlier item are no longer waited for`() {
        var lyrics = HeardLyrics()
        _ = lyrics.ask()
        _ = lyrics.receive(ItemLyrics(item: 1, lyrics: Self.timed), position: 10)
        _ = lyrics.handle(Self.event(.state, item: 2, at: 0))

        #expect(
            lyrics.receive(ItemLyrics(item: 2, lyrics: nil), position: 0)
                == [Self.line(1, nil, ""), .watch([])])
    }

    @Test func `Without an item there are no words, and nothing more is asked`() {
        var lyrics = HeardLyrics()
        _ = lyrics.ask()

        #expect(lyrics.receive(nil, position: 0) == [])
        #expect(lyrics.handle(PlayerEvent(.state)) == [])
    }

    @Test(arguments: [true, false])
    func `The verb lyrics shows the words of the current item, or fails`(hasWords: Bool) throws {
        let service = try FakeService { _, _ in
            ControlReply(ItemLyrics(item: 5, lyrics: hasWords ? Self.plain : nil))
        }
        defer { service.end() }

        let program = try Program(["lyrics"], environment: service.environment)
        #expect(try program.wait() == (hasWords ? 0 : 1))
        let json = try Program(["lyrics", "--json"], environment: service.environment)
        #expect(try json.wait() == (hasWords ? 0 : 1))

        #expect(program.text == (hasWords ? "One\nTwo\n" : "no words found\n"))
        let reply = try JSONDecoder().decode(ItemLyrics.self, from: Data(json.text.utf8))
        #expect(reply == ItemLyrics(item: 5, lyrics: hasWords ? Self.plain : nil))
    }

    @Test func `The verb lyrics follows what is heard, by the times of the lines`() throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case GetLyrics.method: ControlReply(ItemLyrics(item: 1, lyrics: Self.timed))
            case GetStatus.method: ControlReply(PlayerStatus.paused)
            default: ControlReply(Subscribe.Reply(subscription: 2))
            }
        }
        defer { service.end() }

        let program = try Program(
            ["lyrics", "--follow", "--json"], environment: service.environment)
        // The position is 0:41.
        try program.waitForOutput { $0.lines.count == 1 }
        try service.wait { try $0.calls(Subscribe.self).count == 2 }
        service.send(event: Self.event(.boundary, item: 1, at: 70))
        try program.waitForOutput { $0.lines.count == 2 }
        program.signal(SIGTERM)

        #expect(try program.wait() == 143)
        #expect(
            program.lines == [
                #"{"item":1,"seconds":12.5,"text":""}"#, #"{"item":1,"seconds":70,"text":"Last"}"#,
            ])
        let calls = try service.calls(Subscribe.self)
        #expect(calls.map(\.kinds) == [["queue", "item", "jump", "state"], ["boundary"]])
        #expect(calls.last?.boundaries?.map(\.seconds) == [10, 10, 12.5, 70])
    }
}
