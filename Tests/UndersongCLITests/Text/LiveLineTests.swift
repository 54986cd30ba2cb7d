import CommandOptions
import Testing

@testable import UndersongCLI

/// The line on the terminal.
@Suite struct `The live line` {
    @Test func `shows state, place, position, length and title`() {
        #expect(Self.line().text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `has a bar at its end where there is room`() {
        let text = Self.line().text(columns: 79)

        #expect(text.hasPrefix("▶ 2/12  0:41 / 4:05  First Song    "))
        #expect(text.hasSuffix("    ━━━────────────────"))
        #expect(Columns.width(of: text) == 79)
    }

    @Test func `has a mark while the device is silent`() {
        var line = Self.line()

        let isNew = line.take(PlayerEvent(event: "state", status: "playing", deviceSilent: true))
        let marked = line.text(columns: 50)
        _ = line.take(PlayerEvent(event: "state", status: "playing"))

        #expect(isNew)
        #expect(marked == "▶ 2/12  0:41 / 4:05  First Song  device muted")
        #expect(line.text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `tells why there is no sound`() {
        var line = Self.line()

        let isNew = line.take(
            PlayerEvent(event: "state", place: 1, status: "paused", reason: "appBackgrounded"))

        #expect(isNew)
        #expect(
            line.text(columns: 59) == "⏸ 2/12  0:41 / 4:05  First Song (appBackgrounded)")
    }

    @Test func `tells why nothing is heard yet, before there is a title`() {
        var line = LiveLine()

        _ = line.take(PlayerEvent(event: "queue", place: 0, status: "paused", count: 3))
        _ = line.take(PlayerEvent(event: "state", status: "waiting", reason: "noOutput"))

        #expect(line.text(columns: 79) == "… 1/3  0:00  (noOutput)")
    }

    @Test func `has the title of what comes first before anything is heard`() {
        var line = LiveLine()
        let entries = ["Coming Song", "Another"].map { PlayerEvent.Entry(title: $0) }

        _ = line.take(
            PlayerEvent(event: "queue", place: 0, status: "paused", count: 2, items: entries))
        _ = line.take(PlayerEvent(event: "state", status: "paused", reason: "appBackgrounded"))
        let coming = line.text(columns: 59)
        _ = line.take(PlayerEvent(event: "item", status: "playing", change: "began", title: "Now"))
        _ = line.take(PlayerEvent(event: "queue", status: "playing", count: 2, items: entries))

        #expect(coming == "⏸ 1/2  0:00  Coming Song (appBackgrounded)")
        #expect(line.text(columns: 59) == "▶ 1/2  0:00  Now")
    }

    @Test func `cuts the title, and keeps the reason`() {
        var line = Self.line(title: "A very long title of a song that does not end")
        _ = line.take(PlayerEvent(event: "state", place: 1, status: "paused", reason: "userPaused"))

        let text = line.text(columns: 45)

        #expect(text == "⏸ 2/12  0:41 / 4:05  A very lon… (userPaused)")
        #expect(Columns.width(of: text) == 45)
    }

    @Test(arguments: [
        "First Song", "東京の歌、とても長い題名の歌です", "e\u{301}toile du Nord e\u{301}ternelle",
        "🎵🎶 emoji song 👩‍👩‍👧‍👦", "tab\tand\u{1B}[31mred\u{7}", "\u{202E}backwards", "",
    ])
    func `never takes more columns than there are`(title: String) {
        let line = Self.line(title: title)

        for columns in 1...200 {
            let text = line.text(columns: columns)
            #expect(Columns.width(of: text) <= columns)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        }
    }

    @Test func `cuts no wide character and no combined one in two`() {
        let wide = Self.line(title: "東京の歌").text(columns: 26)
        let combined = Self.line(title: "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}")
            .text(columns: 26)

        #expect(wide == "▶ 2/12  0:41 / 4:05  東京…")
        #expect(combined == "▶ 2/12  0:41 / 4:05  e\u{301}e\u{301}e\u{301}e\u{301}…")
    }

    @Test func `has no bar and no length where that is not known`() {
        var line = LiveLine()
        _ = line.take(PlayerEvent(event: "queue", place: 0, status: "playing", count: 1))
        _ = line.take(
            PlayerEvent(event: "item", status: "playing", change: "began", title: "Unknown"))
        _ = line.take(PlayerEvent(event: "time", status: "playing", seconds: 3661.9))

        #expect(line.text(columns: 79) == "▶ 1/1  1:01:01  Unknown")
    }

    @Test func `is drawn anew for what it shows, and for nothing else`() {
        var line = Self.line()

        let kinds = ["time", "state", "jump", "queue", "settings", "clock", "error", "end"]
        let new = kinds.filter { line.take(PlayerEvent(event: $0, status: "playing")) }

        #expect(new == ["time", "state", "jump"])
    }

    @Test func `keeps its state through an error, whose reason is another`() {
        var line = Self.line()

        _ = line.take(
            PlayerEvent(event: "error", place: 1, status: "playing", reason: "No such file"))

        #expect(line.text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `marks what of loudness and speed is not as usual`() {
        var line = Self.line()

        let isNew = line.take(
            PlayerEvent(event: "settings", place: 1, volume: 0, muted: true, rate: 1.1))
        let isNewAgain = line.take(
            PlayerEvent(event: "settings", place: 1, volume: 0, muted: true, rate: 1.1))
        let text = line.text(columns: 79)
        _ = line.take(PlayerEvent(event: "settings", place: 1, volume: 0.5, muted: false, rate: 1))

        #expect(isNew && !isNewAgain)
        #expect(text.hasPrefix("▶ 2/12  0:41 / 4:05  First Song"))
        #expect(text.contains("  muted  vol 0  1.1×"))
        #expect(line.text(columns: 50) == "▶ 2/12  0:41 / 4:05  First Song")
    }

    @Test func `keeps the marks where there is no room for the bar and all of the title`() {
        var line = Self.line(title: "A long title of a song")

        _ = line.take(PlayerEvent(event: "settings", muted: true))

        #expect(line.text(columns: 60) == "▶ 2/12  0:41 / 4:05  A long title of a song  muted")
        #expect(line.text(columns: 40) == "▶ 2/12  0:41 / 4:05  A long titl…  muted")
        #expect(line.text(columns: 27) == "▶ 2/12  0:41 / 4:05  muted")
        for columns in 1...200 {
            #expect(Columns.width(of: line.text(columns: columns)) <= columns)
        }
    }

    /// A line in the midst of the second of twelve songs.
    private static func line(title: String = "First Song") -> LiveLine {
        var line = LiveLine()
        _ = line.take(PlayerEvent(event: "queue", place: 1, status: "waiting", count: 12))
        _ = line.take(
            PlayerEvent(
                event: "item", place: 1, status: "playing", change: "began", title: title,
                duration: PlayerEvent.Time(seconds: 245.2)))
        _ = line.take(PlayerEvent(event: "time", place: 1, status: "playing", seconds: 41.25))
        return line
    }
}
