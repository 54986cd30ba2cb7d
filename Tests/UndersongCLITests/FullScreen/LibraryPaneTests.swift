import Testing
import UndersongBackground
import UndersongControl
import UndersongLibrary
import UndersongPlayback

@testable import UndersongCLI

/// The library on the full screen: its lists, the search, and what it asks for.
@Suite struct `The library's pane` {
    @Test func `The library's pane opens an artist, an album of it, and goes back`() {
        var screen = Self.screen()

        let artists = Self.press([.character("2")], in: &screen)
        Self.answer(&screen, artists, groups: ["Anna", "Björk"])
        let albums = Self.press([.down, .right], in: &screen)
        Self.answer(&screen, albums, groups: ["Homogenic"])
        let tracks = Self.press([.character("l")], in: &screen)
        Self.answer(&screen, tracks, tracks: [7, 8])
        let none = Self.press([.right], in: &screen)
        let back = Self.press([.left, .character("h"), .backspace], in: &screen)

        #expect(Self.request(artists).view == .artists && Self.request(artists).page.query == "")
        #expect(Self.request(albums).view == .albums)
        #expect(Self.request(albums).page.query == "is:Björk")
        #expect(Self.request(tracks).view == .tracks)
        #expect(Self.request(tracks).page.query == "is:Homogenic")
        #expect(none == [] && back == [])
        #expect(screen.library.lists.count == 1 && screen.library.list.cursor.place == 1)
    }

    @Test(
        arguments: [
            (.character("a"), .end), (.character("A"), .next), (.enter, .now),
            (.character("P"), .now),
        ] as [(KeyStroke, Addition.Position)])
    func `The library's pane adds and plays what is at its cursor`(
        stroke: KeyStroke, position: Addition.Position
    ) {
        var screen = Self.screen()
        Self.answer(
            &screen, Self.press([.character("2")], in: &screen), groups: ["Anna", "Björk"])

        let group = Self.press([.down, stroke], in: &screen)
        Self.answer(&screen, Self.press([.right, .character("v")], in: &screen), tracks: [])
        let nothing = Self.press([stroke], in: &screen)
        var other = Self.screen()
        Self.open(tracks: [7, 8], in: &other)
        let track = Self.press([.down, stroke], in: &other)

        #expect(
            group == [
                .add(Addition(files: Files(query: "is:Björk"), position: position, name: "Björk"))
            ])
        #expect(
            track == [
                .add(
                    Addition(
                        files: Files(tracks: [8]), position: position, name: "Anna - Song 8"))
            ])
        #expect(nothing == [])
    }

    @Test(
        arguments: [(.character("e"), .end), (.character("E"), .now)]
            as [(KeyStroke, Addition.Position)])
    func `The library's pane adds and plays all that a search has found, or a list contains`(
        stroke: KeyStroke, position: Addition.Position
    ) {
        var screen = Self.screen()
        let all = Self.press([.character("2"), .character("/")], in: &screen)
        _ = Self.give(&screen, [all[1]], tracks: [])
        _ = Self.give(&screen, Self.press([.character("x")], in: &screen), tracks: [1, 2])
        let found = Self.press([.enter, .down, stroke], in: &screen)
        var other = Self.screen()
        Self.open(tracks: [7, 8], in: &other)
        let album = Self.press([stroke], in: &other)
        Self.answer(&other, Self.press([.left, .character("v")], in: &other), tracks: [])
        let nothing = Self.press([stroke], in: &other)

        #expect(
            found == [
                .add(Addition(files: Files(query: "x"), position: position, name: "Search"))
            ])
        #expect(
            album == [
                .add(Addition(files: Files(query: "is:Anna"), position: position, name: "Anna"))
            ])
        #expect(nothing == [])
    }

    @Test func `The search of the library is for what is typed, one request at a time`() {
        var screen = Self.screen()
        let empty = Self.press([.character("2"), .character("/")], in: &screen)

        let one = Self.give(&screen, [empty[1]], tracks: [1])
        let typed = Self.press([.character("x")], in: &screen)
        let two = Self.press([.character("y")], in: &screen)
        let late = Self.give(&screen, typed, tracks: [5])
        let shownLate = screen.library.list[0]
        let done = Self.give(&screen, late, tracks: [6])

        #expect(one == [] && two == [] && done == [])
        #expect(Self.request(typed).page.query == "x" && Self.request(late).page.query == "xy")
        #expect(Self.request(late).number > Self.request(typed).number)
        #expect(shownLate == .track(Self.track(1)))
        #expect(screen.library.list[0] == .track(Self.track(6)))
    }

    @Test func `A condition that is not typed to its end has no effect yet`() {
        var screen = Self.screen()
        let all = Self.press([.character("2"), .character("/")], in: &screen)
        _ = Self.give(&screen, [all[1]], tracks: [])

        let queries = "a artist:\"b".map { character in
            let commands = Self.press([.character(character)], in: &screen)
            guard !commands.isEmpty else { return "" }
            _ = Self.give(&screen, commands, tracks: [])
            return Self.request(commands).page.query
        }

        #expect(
            queries.filter { !$0.isEmpty } == [
                "a", "a a", "a ar", "a art", "a arti", "a artis",
                "a artist", "a", "a artist:b",
            ])
    }

    @Test func `A late answer to an earlier search is dropped`() {
        var screen = Self.screen()
        let all = Self.press([.character("2"), .character("/")], in: &screen)
        _ = Self.give(&screen, [all[1]], tracks: [])
        let search = Self.press([.character("x")], in: &screen)

        let left = Self.press([.escape, .character("/")], in: &screen)
        _ = Self.give(&screen, search, tracks: [1, 2])

        #expect(Self.request(left).page.query == "")
        #expect(!screen.library.list.isKnown && screen.library.list.count == 0)
    }

    @Test func `Enter ends the typing once the result is there, and then plays`() {
        var screen = Self.screen()
        let all = Self.press([.character("2"), .character("/")], in: &screen)
        _ = Self.give(&screen, [all[1]], tracks: [])
        let search = Self.press([.character("x")], in: &screen)

        let early = Self.press([.enter, .down, .enter], in: &screen)
        let played = Self.give(&screen, search, tracks: [7, 8])

        #expect(early == [])
        #expect(screen.typed == nil && screen.library.list.cursor.place == 1)
        #expect(
            played == [
                .add(
                    Addition(
                        files: Files(tracks: [8]), position: .now, name: "Anna - Song 8"))
            ])
        #expect(Self.press([.escape], in: &screen) == [])
        #expect(screen.library.lists.count == 1)
    }

    @Test func `A query that cannot be read is said, asked once, and does not end the typing`() {
        var screen = Self.screen()
        let all = Self.press([.character("2"), .character("/")], in: &screen)
        _ = Self.give(&screen, [all[1]], tracks: [])
        let search = Self.press([.character("x")], in: &screen)

        let after = screen.handle(
            .library(.problem("year: x is not a year"), for: Self.request(search)))
        let entered = Self.press([.enter], in: &screen)

        #expect(after == [] && entered == [] && screen.typed == "x")
        #expect(screen.frame.canvas.text.contains("year: x is not a year"))
    }

    @Test func `The rows are grouped by something else, and an answer for the old ones is dropped`()
    {
        var screen = Self.screen()
        let artists = Self.press([.character("2")], in: &screen)

        let waiting = Self.press([.character("v")], in: &screen)
        let albums = Self.give(&screen, artists, groups: ["Anna"])
        let known = screen.library.list.isKnown
        _ = Self.give(&screen, albums, groups: ["Debut"])
        let others = (0..<6).map { _ in
            let commands = Self.press([.character("v")], in: &screen)
            _ = Self.give(&screen, commands, groups: [])
            return Self.request(commands).view
        }

        #expect(waiting == [] && !known)
        #expect(Self.request(albums).view == .albums)
        #expect(others == [.newAlbums, .genres, .years, .composers, .tracks, .lists])
    }

    @Test func `What is opened in a search has only tracks that were found`() throws {
        var screen = Self.screen()
        let all = Self.press([.character("2"), .character("/")], in: &screen)
        _ = Self.give(&screen, [all[1]], tracks: [])
        let typed = "year:1990.. OR live"
        let search = Self.press([.character("x")], in: &screen)
        _ = Self.press([.backspace] + typed.map { .character($0) }, in: &screen)
        _ = Self.give(&screen, Self.give(&screen, search, tracks: []), tracks: [1])
        let artists = Self.press([.enter, .character("v"), .character("v")], in: &screen)
        let again = Self.give(&screen, artists, groups: [])
        var group = Self.group("Anna")
        group.query = "albumartist:=Anna"
        _ = screen.handle(
            .library(
                .rows([.group(group)], count: 1, isScanning: false), for: Self.request(again)))

        let added = Self.press([.character("a")], in: &screen)
        let opened = Self.request(Self.press([.right], in: &screen))

        let (outer, inner) = (try LibraryQuery(typed), try LibraryQuery(group.query))
        let both = LibraryQuery(
            .all([try #require(outer.condition), try #require(inner.condition)]))
        #expect(
            Self.request(again).view == .artists && Self.request(again).page.query == outer.text)
        #expect(opened.view == .albums && opened.page.query == both.text)
        #expect(
            added == [
                .add(Addition(files: Files(query: both.text), position: .end, name: "Anna"))
            ])
    }

    @Test func `A star and a digit rate the row, and f makes it a favourite`() {
        var screen = Self.screen()
        let playing = Self.press([.character("*"), .character("5")], in: &screen)
        let favourite = Self.press([.character("f")], in: &screen)
        Self.open(tracks: [7, 8], in: &screen)

        let track = Self.press([.down, .character("*"), .character("4")], in: &screen)
        let none = Self.press([.character("*"), .escape, .character("*"), .down], in: &screen)
        let high = Self.press([.character("*"), .character("6")], in: &screen)
        let note = screen.note
        let heart = Self.press([.character("f")], in: &screen)
        var rated = Self.track(8)
        (rated.rating, rated.isFavourite) = (4, true)
        let answer = screen.handle(.rated(RatedTracks(count: 1, track: rated)))
        let single = screen.note
        let row = screen.frame.canvas.text(row: 2)
        _ = Self.press([.left], in: &screen)
        let group = Self.press([.character("*"), .character("0")], in: &screen)
        _ = screen.handle(.rated(RatedTracks(count: 2, track: nil)))

        #expect(playing == [.rate(RateTracks(rating: 5))])
        #expect(favourite == [.rate(RateTracks(togglesFavourite: true))])
        #expect(track == [.rate(RateTracks(tracks: [8], rating: 4))])
        #expect(none == [] && note == "a rating is 1 to 5, or 0 for none")
        #expect(high.count == 1)
        #expect(screen.note == "2 tracks changed")
        #expect(heart == [.rate(RateTracks(tracks: [8], togglesFavourite: true))])
        #expect(answer.count == 1 && single == "Song 8: favourite, ★★★★")
        #expect(row.contains("Song 8") && row.contains("♥ ★★★★"))
        #expect(group == [.rate(RateTracks(query: "is:Anna", rating: 0))])
    }

    @Test func `A percent sign and a digit seek, and other digits do nothing`() {
        var screen = Self.screen()

        #expect(
            Self.press([.character("%"), .character("7")], in: &screen) == [.press(.part(0.7))])
        #expect(Self.press([.character("7")], in: &screen) == [.press(.unknown)])
    }

    @Test func `The library's pane asks again when the library has changed, once it is shown`() {
        var screen = Self.screen()
        let event = PlayerEvent(
            .library(
                LibraryEvent(.scanning, trackCount: 3, scan: LibraryScan(fileCount: 12345))))

        let hidden = screen.handle(.event(event))
        Self.answer(&screen, Self.press([.character("2")], in: &screen), groups: ["Anna"])
        let shown = screen.handle(.event(event))
        let heading = screen.frame.canvas.text(row: 0)
        let during = screen.handle(.event(event))
        let next = Self.give(&screen, shown, groups: ["Anna", "Björk"])

        #expect(hidden == [] && during == [])
        #expect(heading.contains("scanning: 12345 files"))
        #expect(Self.request(shown).number == 2 && Self.request(next).number == 3)
    }

    @Test func `The library's pane asks for the rows that it has scrolled to`() {
        var screen = Self.screen()
        let first = Self.press([.character("2")], in: &screen)
        let rows = (0..<60).map { LibraryRow.group(Self.group("Artist \($0)")) }
        _ = screen.handle(
            .library(.rows(rows, count: 100_000, isScanning: false), for: Self.request(first)))

        let end = Self.press([.end], in: &screen)
        let shown = screen.frame.canvas.text(row: 1)

        #expect(Self.request(first).range.lowerBound == 0)
        #expect(
            Self.request(end).range.lowerBound == 99_940
                && Self.request(end).range.count <= FindTracks.limit)
        #expect(screen.library.list.cursor.place == 99_999 && shown.hasPrefix("…"))
    }

    @Test(arguments: [40, 80, 120, 200])
    func `The library's pane shows what there is room for`(columns: Int) {
        var screen = Self.screen(columns: columns)
        Self.open(tracks: [7, 8], in: &screen)
        let canvas = screen.frame.canvas
        let row = canvas.text(row: 1)

        #expect(row.contains("Song 7"))
        #expect(row.contains("Anna") == (columns >= 80))
        #expect(row.contains("3:20") == (columns >= 80))
        #expect(canvas.text(row: 2).contains("│") == (columns >= 100))
        #expect(canvas.text(row: 0).contains("2 tracks"))
        #expect(canvas.text(row: 0).contains("1 album") == (columns >= 100))
    }

    @Test func `A double click opens a group, and a click beside it goes back to the list before`()
    {
        var screen = Self.screen(columns: 120)
        Self.answer(
            &screen, Self.press([.character("2")], in: &screen), groups: ["Anna", "Björk"])

        _ = screen.handle(.mouse(Mouse(.press, column: 9, row: 2), at: 1))
        let opened = screen.handle(.mouse(Mouse(.press, column: 9, row: 2), at: 1.1))
        _ = Self.give(&screen, opened, groups: ["Debut", "Post"])
        _ = screen.handle(.mouse(Mouse(.press, column: 60, row: 2), at: 3))
        let second = screen.library.list.cursor.place
        _ = screen.handle(.mouse(Mouse(.press, column: 9, row: 1), at: 5))

        #expect(Self.request(opened).page.query == "is:Björk")
        #expect(second == 1)
        #expect(screen.library.lists.count == 1 && screen.library.list.cursor.place == 0)
    }

    @Test func `The panes are shown by keys, by Tab, and by a click on their names`() {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: 80, rows: 24)))
        let strokes: [KeyStroke] = [
            .tab, .tab, .tab, .tab, .shiftTab, .character("2"), .character("3"), .character("1"),
        ]
        let panes = strokes.map { stroke in
            _ = screen.handle(.stroke(stroke))
            return screen.pane
        }
        let tabs = screen.frame.canvas.text(row: 0)
        _ = screen.handle(.mouse(Mouse(.press, column: 14, row: 0), at: 0))

        #expect(
            panes == [.library, .files, .lyrics, .queue, .lyrics, .library, .files, .queue])
        #expect(tabs.hasPrefix(" 1 Queue   2 Library   3 Files   4 Lyrics"))
        #expect(screen.pane == .library)
        _ = screen.handle(.stroke(.character("?")))
        #expect(screen.frame.canvas.text.contains("albums, artists, genres, tracks"))
    }

    // MARK: Making screens

    /// A screen of ten rows of a list, without a row of the panes.
    static func screen(columns: Int = 80) -> PlayerScreen {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: columns, rows: 14)))
        return screen
    }

    static func press(_ strokes: [KeyStroke], in screen: inout PlayerScreen) -> [ScreenCommand] {
        strokes.flatMap { screen.handle(.stroke($0)) }
    }

    private static func group(_ name: String) -> LibraryGroup {
        LibraryGroup(name: name, trackCount: 12, seconds: 2400, added: 0, query: "is:\(name)")
    }

    private static func track(_ id: Int) -> Track {
        var tags = TrackTags()
        (tags.title, tags.artists, tags.album) = ("Song \(id)", ["Anna"], "Debut")
        return Track(
            id: id, path: "/\(id).flac", tags: tags,
            sound: TrackSound(
                seconds: 200, SoundFormat(sampleRate: 44100, channels: 2, encoding: "FLAC")),
            added: 0, modified: 0)
    }

    private static func request(_ commands: [ScreenCommand]) -> LibraryRequest {
        for case .browse(let request) in commands { return request }
        Issue.record("nothing is requested by \(commands)")
        return LibraryRequest(view: .tracks, page: QueryPage(), number: -1)
    }

    private static func give(
        _ screen: inout PlayerScreen, _ commands: [ScreenCommand], groups: [String]
    ) -> [ScreenCommand] {
        let rows = groups.map { LibraryRow.group(group($0)) }
        return screen.handle(
            .library(
                .rows(rows, count: rows.count, isScanning: false), for: request(commands)))
    }

    private static func give(
        _ screen: inout PlayerScreen, _ commands: [ScreenCommand], tracks: [Int]
    ) -> [ScreenCommand] {
        let rows = tracks.map { LibraryRow.track(track($0)) }
        return screen.handle(
            .library(
                .rows(rows, count: rows.count, isScanning: false), for: request(commands)))
    }

    private static func answer(
        _ screen: inout PlayerScreen, _ commands: [ScreenCommand], groups: [String]
    ) { _ = give(&screen, commands, groups: groups) }

    private static func answer(
        _ screen: inout PlayerScreen, _ commands: [ScreenCommand], tracks: [Int]
    ) { _ = give(&screen, commands, tracks: tracks) }

    /// Opens an artist and an album in the library, which has these tracks.
    private static func open(tracks: [Int], in screen: inout PlayerScreen) {
        answer(&screen, press([.character("2")], in: &screen), groups: ["Anna"])
        answer(&screen, press([.right], in: &screen), groups: ["Anna"])
        answer(&screen, press([.right], in: &screen), tracks: tracks)
    }
}
