import Foundation
import Testing
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The line on the terminal.
@Suite struct `The live line` {
    @Test func `The live line shows state, place, position, length and title`() {
        #expect(Self.line().text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `The live line shows the times of the part of a file that is played`() throws {
        var part = QueueItem(id: ItemID(1), source: .file(path: "/a.flac"))
        part.setRange(
            start: CMTime(value: 60, timescale: 1), end: CMTime(value: 80, timescale: 1))
        part.title = "Two"
        let description = MediaDescription(
            format: StreamFormat(sampleRate: 44100, channelCount: 2), encoding: "FLAC",
            duration: CMTime(value: 600, timescale: 1), isDurationExact: true)
        var line = LiveLine()
        _ = line.apply(.queue(count: 3))
        // As it comes from a service.
        let sent = PlayerEvent(.item(.began(part, description)), place: 1)
        let bytes = try JSONEncoder().encode(sent)

        _ = line.apply(try JSONDecoder().decode(PlayerEvent.self, from: bytes))
        _ = line.apply(.state(.playing, place: 1, at: 65))

        #expect(line.text(columns: 50) == "▶ 2/3  0:05 / 0:20  Two")
        #expect(line.text(columns: 79).contains("━━━━─"))
    }

    @Test func `The live line has a bar at its end if there is room`() {
        let text = Self.line().text(columns: 79)

        #expect(text.hasPrefix("▶ 2/12  0:41 / 4:05  First Song    "))
        #expect(text.hasSuffix("    ━━━────────────────"))
        #expect(Columns.width(of: text) == 79)
    }

    @Test func `The live line has a mark while the device is silent`() {
        var line = Self.line()

        let isNew = line.apply(.state(.playing, place: 1, deviceSilent: true, at: 41.25))
        let marked = line.text(columns: 50)
        _ = line.apply(.state(.playing, place: 1, at: 41.25))

        #expect(isNew)
        #expect(marked == "▶ 2/12  0:41 / 4:05  First Song  device muted")
        #expect(line.text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `The live line shows why there is no sound`() {
        var line = Self.line()

        let isNew = line.apply(
            .state(.paused, .appBackgrounded, place: 1, at: 41.25))

        #expect(isNew)
        #expect(
            line.text(columns: 59)
                == "⏸ 2/12  0:41 / 4:05  First Song (silent in the background)")
    }

    @Test func `The live line shows why nothing is heard yet, before there is a title`() {
        var line = LiveLine()

        _ = line.apply(.queue(.paused, count: 3))
        _ = line.apply(.state(.waiting, .noOutput))

        #expect(line.text(columns: 79) == "… 1/3  0:00  (waiting for the sound server)")
    }

    @Test func `The live line says that the queue is empty, as the status does`() {
        var line = LiveLine()

        _ = line.apply(.queue(.paused, count: 0))
        _ = line.apply(.state(.paused, .userPaused))
        let empty = line.text(columns: 50)
        _ = line.apply(.queue(.paused, count: 3))
        _ = line.apply(.state(.paused, .userPaused))

        #expect(empty == "⏸ -/0  0:00  (the queue is empty)")
        #expect(line.text(columns: 50) == "⏸ 1/3  0:00  (paused)")
    }

    @Test func `The live line has the first item's title before anything is heard`() {
        var line = LiveLine()
        let titles = ["Coming Song", "Another"]

        _ = line.apply(
            .queue(.paused, count: 2, titles: titles))
        _ = line.apply(.state(.paused, .appBackgrounded))
        let coming = line.text(columns: 59)
        _ = line.apply(.began("Now"))
        _ = line.apply(.queue(count: 2, titles: titles))

        #expect(coming == "⏸ 1/2  0:00  Coming Song (silent in the background)")
        #expect(line.text(columns: 59) == "▶ 1/2  0:00  Now")
    }

    @Test func `The live line truncates the title, and keeps the reason`() {
        var line = Self.line(title: "A very long title of a song that does not end")
        _ = line.apply(.state(.paused, .userPaused, place: 1, at: 41.25))

        let text = line.text(columns: 45)

        #expect(text == "⏸ 2/12  0:41 / 4:05  A very long ti… (paused)")
        #expect(Columns.width(of: text) == 45)
    }

    @Test(arguments: [
        "First Song", "東京の歌、とても長い題名の歌です", "e\u{301}toile du Nord e\u{301}ternelle",
        "🎵🎶 emoji song 👩‍👩‍👧‍👦", "tab\tand\u{1B}[31mred\u{7}", "\u{202E}backwards", "",
    ])
    func `The live line never exceeds the columns`(title: String) {
        let line = Self.line(title: title)

        for columns in 1...200 {
            let text = line.text(columns: columns)
            #expect(Columns.width(of: text) <= columns)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        }
    }

    @Test func `The live line does not split a wide or combined character`() {
        let wide = Self.line(title: "東京の歌").text(columns: 26)
        let combined = Self.line(title: "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}")
            .text(columns: 26)

        #expect(wide == "▶ 2/12  0:41 / 4:05  東京…")
        #expect(combined == "▶ 2/12  0:41 / 4:05  e\u{301}e\u{301}e\u{301}e\u{301}…")
    }

    @Test func `The live line has no bar and no length if the length is unknown`() {
        var line = LiveLine()
        _ = line.apply(.queue(count: 1))
        _ = line.apply(
            .began("Unknown"))
        _ = line.apply(.time(3661.9))

        #expect(line.text(columns: 79) == "▶ 1/1  1:01:01  Unknown")
    }

    @Test func `The live line is redrawn when its content changes, and at no other time`() {
        var line = Self.line()

        let kinds: [PlayerEvent.Kind] = [
            .time(isExact: false), .state, .jump, PlayerEvent.queue().kind,
            .settings(SettingsEvent(PlayerSettings())),
            .clock(uncertainty: 1),
            .error(SessionFailure(code: "x", message: "y")),
            .end(SessionEnd(reason: .finished, playedCount: 1, failedCount: 0, run: 1)),
            .other("new"),
        ]
        let new = kinds.filter { line.apply(PlayerEvent($0)) }

        #expect(new.map(\.name) == ["time", "state", "jump"])
    }

    @Test func `The live line keeps its state after an error, which has a different reason`() {
        var line = Self.line()

        _ = line.apply(
            PlayerEvent(
                .error(SessionFailure(code: "x", message: "y: No such file")), .paused,
                place: 1))

        #expect(line.text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `The live line marks an unusual volume and rate`() {
        var line = Self.line()

        let isNew = line.apply(
            Self.settings { ($0.volume, $0.isMuted, $0.rate) = (0, true, 1.1) })
        let isNewAgain = line.apply(
            Self.settings { ($0.volume, $0.isMuted, $0.rate) = (0, true, 1.1) })
        let text = line.text(columns: 79)
        _ = line.apply(Self.settings { $0.volume = 0.5 })

        #expect(isNew && !isNewAgain)
        #expect(text.hasPrefix("▶ 2/12  0:41 / 4:05  First Song"))
        #expect(text.contains("  muted  vol 0  1.1×"))
        #expect(line.text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `The live line marks when the sleep timer ends, and that it fades`() {
        var line = LiveLine()
        _ = line.apply(.queue(count: 1))
        _ = line.apply(.began("Song"))
        func text(_ sleep: SleepReport) -> String {
            let hasChanged = line.apply(PlayerEvent(.sleep(sleep), .playing))
            #expect(hasChanged)
            return line.text(columns: 50)
        }

        // Whatever the time zone is, these minutes are not changed by it, but for half hours.
        let running = text(SleepReport(time: 1_700_000_000, fade: 10, fading: false))
        let fading = text(SleepReport(time: 1_700_000_000, fade: 10, fading: true))

        #expect(running.wholeMatch(of: #/▶ 1/1  0:00  Song  sleep \d\d:(13|28|43|58)/#) != nil)
        #expect(fading == "▶ 1/1  0:00  Song  fading out")
        #expect(text(SleepReport()) == "▶ 1/1  0:00  Song")
    }

    @Test func `The live line marks what repeats, random order and a stop`() {
        var line = Self.line()

        _ = line.apply(
            Self.settings {
                $0.modes.repeatMode = .all
                $0.modes.isShuffled = true
                $0.modes.stopCondition = .item
            })

        #expect(
            line.text(columns: 79).contains(
                "First Song  repeat all  shuffle  will stop after this item"))
    }

    @Test func `The live line shows a note in place of the title`() {
        var line = Self.line()

        line.note = "volume 60 %"
        let noted = line.text(columns: 50)
        line.note = nil

        #expect(noted == "▶ 2/12  0:41 / 4:05  volume 60 %")
        #expect(line.text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test(
        arguments: [
            (.volume(5), "volume 80 %"), (.rate(1.1), "speed 1.25×"), (.shuffle, "shuffle off"),
            (.repeatMode, "repeat all"), (.mute, "volume 80 %"), (.player(.next), ""),
        ] as [(Key, String)])
    func `The live line has a note of what a key has changed`(key: Key, text: String) {
        #expect(NoteText.text(key, .usual) == text)
    }

    @Test func `The live line keeps the marks without room for the bar and the whole title`() {
        var line = Self.line(title: "A long title of a song")

        _ = line.apply(Self.settings { $0.isMuted = true })

        #expect(line.text(columns: 60) == "▶ 2/12  0:41 / 4:05  A long title of a song  muted")
        #expect(line.text(columns: 40) == "▶ 2/12  0:41 / 4:05  A long titl…  muted")
        #expect(line.text(columns: 27) == "▶ 2/12  0:41 / 4:05  muted")
        for columns in 1...200 {
            #expect(Columns.width(of: line.text(columns: columns)) <= columns)
        }
    }

    private static func settings(_ change: (inout PlayerSettings) -> Void) -> PlayerEvent {
        var settings = PlayerSettings()
        change(&settings)
        return PlayerEvent(.settings(SettingsEvent(settings)), place: 1)
    }

    /// A line in the middle of the second of twelve songs.
    private static func line(title: String = "First Song") -> LiveLine {
        var line = LiveLine()
        _ = line.apply(.queue(.waiting, count: 12, place: 1))
        _ = line.apply(
            .began(title, seconds: 245.2, place: 1))
        _ = line.apply(.time(41.25, place: 1))
        return line
    }
}
