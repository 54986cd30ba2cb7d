import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The full screen's state: what it asks for, and where its cursor is.
@Suite struct `The full screen` {
    @Test func `The full screen requests what it shows, and again when the queue changes`() {
        var screen = PlayerScreen()

        let sized = screen.handle(.size(ScreenLayout(columns: 80, rows: 14)))
        let first = screen.handle(.event(.queue(count: 1000)))
        let during = screen.handle(.event(.queue(count: 999)))
        let next = screen.handle(.list(Self.list(0..<60, of: 1000), for: Self.request(in: first)))

        #expect(sized == [])
        #expect(first == [.load(QueueWindow.Request(offset: 0, limit: 60, number: 1))])
        #expect(during == [])
        #expect(next == [.load(QueueWindow.Request(offset: 0, limit: 60, number: 2))])
        #expect(screen.handle(.list(Self.list(0..<60, of: 999), for: Self.request(in: next))) == [])
    }

    @Test func `The full screen moves the cursor by keys, and requests what it has scrolled to`() {
        var screen = Self.screen(count: 1000)

        let end = screen.handle(.stroke(.character("G")))
        let atEnd = (screen.queue.cursor.place, screen.queue.visible)
        _ = screen.handle(.list(Self.list(890..<1000, of: 1000), for: Self.request(in: end)))
        _ = screen.handle(.stroke(.pageUp))
        let pageUp = (screen.queue.cursor.place, screen.queue.visible)
        _ = screen.handle(.stroke(.home))
        _ = screen.handle(.stroke(.down))
        _ = screen.handle(.stroke(.up))
        _ = screen.handle(.stroke(.up))

        #expect(atEnd == (999, 990..<1000))
        #expect(Self.request(in: end).offset == 940)
        #expect(pageUp == (990, 990..<1000))
        #expect(screen.queue.cursor.place == 0)
    }

    @Test func `The full screen keeps the cursor at its item when the queue changes elsewhere`() {
        var screen = Self.screen(count: 20)

        for _ in 0..<3 { _ = screen.handle(.stroke(.down)) }
        let commands = screen.handle(.event(.queue(count: 22)))
        var items = Self.list(0..<20, of: 22).items
        items.insert(contentsOf: [Self.item(100), Self.item(101)], at: 1)
        _ = screen.handle(
            .list(QueueList(items: items, current: nil), for: Self.request(in: commands)))

        #expect(screen.queue.cursor.place == 5)
        #expect(screen.queue.list[screen.queue.cursor.place]?.id == 3)
    }

    @Test func `The full screen follows what plays if the cursor is there`() {
        var screen = Self.screen(count: 20)

        _ = screen.handle(.event(.began("b", place: 4)))
        let following = screen.queue.cursor.place
        _ = screen.handle(.stroke(.down))
        _ = screen.handle(.event(.began("c", place: 7)))

        #expect(following == 4)
        #expect(screen.queue.cursor.place == 5)
    }

    @Test func `The full screen removes and moves at once, and shows what the service made of it`()
    {
        var screen = Self.screen(count: 5)

        let removal = screen.handle(.stroke(.character("x")))
        let afterRemoval = Self.ids(screen)
        let move = screen.handle(.stroke(.character("J")))
        let again = screen.handle(.stroke(.shiftDown))
        let afterMoves = (Self.ids(screen), screen.queue.cursor.place)
        let back = screen.handle(.stroke(.character("K")))
        let early = screen.handle(.changed(problem: nil))
        _ = screen.handle(.changed(problem: nil))
        _ = screen.handle(.changed(problem: nil))
        let last = screen.handle(.changed(problem: "cannot move: It is gone"))

        #expect(removal == [.change(.remove([0])), .endNote(1)])
        #expect(afterRemoval == [1, 2, 3, 4])
        #expect(move == [.change(.move(1, after: 2))])
        #expect(again == [.change(.move(1, after: 3))])
        #expect(afterMoves == ([2, 3, 1, 4], 2))
        #expect(back == [.change(.move(1, after: 2))])
        #expect(early == [])
        #expect(last.first == .endNote(2) && last.count == 2)
        #expect(screen.note == "cannot move: It is gone")
    }

    @Test func `The full screen ignores a reply that was sent before a change`() {
        var screen = Self.screen(count: 5)

        let request = Self.request(in: screen.handle(.event(.queue(count: 5))))
        _ = screen.handle(.stroke(.delete))
        _ = screen.handle(.list(Self.list(0..<5, of: 5), for: request))

        #expect(Self.ids(screen) == [1, 2, 3, 4])
    }

    @Test func `The full screen searches while words are typed, one request at a time`() {
        var screen = Self.screen(count: 1000)

        let start = screen.handle(.stroke(.character("/")))
        let first = screen.handle(.stroke(.character("a")))
        let during = screen.handle(.stroke(.character("b")))
        let next = screen.handle(
            .found(Self.reply([Self.found(7)]), for: QueueSearch.Request(words: ["a"])))
        _ = screen.handle(
            .found(
                Self.reply([Self.found(7), Self.found(500)]),
                for: QueueSearch.Request(words: ["ab"])))
        _ = screen.handle(.stroke(.down))
        let chosen = screen.handle(.stroke(.enter))

        #expect(start == [] && during == [])
        #expect(first == [.search(QueueSearch.Request(words: ["a"]))])
        #expect(next == [.search(QueueSearch.Request(words: ["ab"]))])
        #expect(screen.queue.cursor.place == 500)
        #expect(Self.request(in: chosen).offset == 441)
    }

    @Test func `The full screen chooses what was typed, even if Enter comes before the result`() {
        var screen = Self.screen(count: 20)

        for character in "/ab" { _ = screen.handle(.stroke(.character(character))) }
        let pressed = [KeyStroke.enter, .enter].flatMap { screen.handle(.stroke($0)) }
        let early = screen.handle(
            .found(Self.reply([Self.found(7)]), for: QueueSearch.Request(words: ["a"])))
        let commands = screen.handle(
            .found(Self.reply([Self.found(9)]), for: QueueSearch.Request(words: ["ab"])))

        #expect(pressed == [])
        #expect(early == [.search(QueueSearch.Request(words: ["ab"]))])
        #expect(screen.queue.cursor.place == 9)
        #expect(commands.contains { if case .play = $0 { true } else { false } })
    }

    @Test func `The full screen leaves a search by escape while Enter waits for the result`() {
        var screen = Self.screen(count: 20)

        for stroke in [KeyStroke.character("/"), .character("a"), .enter, .escape] {
            _ = screen.handle(.stroke(stroke))
        }
        _ = screen.handle(
            .found(Self.reply([Self.found(7)]), for: QueueSearch.Request(words: ["a"])))
        _ = screen.handle(.stroke(.down))

        #expect(screen.queue.cursor.place == 1)
    }

    @Test func `The search field gets every character that is typed, and is left by escape`() {
        var screen = Self.screen(count: 5)

        let typed = ["/", "q", "é", "x", " ", "y", "z"].map { KeyStroke.character($0) }
        for stroke in typed { _ = screen.handle(.stroke(stroke)) }
        for stroke in [KeyStroke.backspace, .control("w")] { _ = screen.handle(.stroke(stroke)) }
        let text = screen.typed
        _ = screen.handle(.stroke(.escape))

        #expect(text == "qéx " && screen.typed == nil)
        #expect(screen.handle(.stroke(.character("q"))) == [.leave])
    }

    @Test(
        arguments: [
            ([.backspace], "ab c"), ([.backspace, .backspace, .backspace], "ab"),
            ([.control("w")], "ab "), ([.character(" "), .control("w")], "ab "),
            ([.control("w"), .control("w")], ""), ([.control("u")], ""), ([.left], "ab cd"),
        ] as [([KeyStroke], String)])
    func `The full screen deletes characters, words and all of the search field`(
        strokes: [KeyStroke], text: String
    ) {
        var search = QueueSearch()

        for character in "ab cd" { _ = search.edit(.character(character)) }
        for stroke in strokes { _ = search.edit(stroke) }

        #expect(search.field.text == text)
    }

    @Test(
        arguments: [
            (.enter, [.play(0)]), (.character("u"), [.change(.undo)]),
            (.control("r"), [.change(.redo)]), (.character(" "), [.press(.player(.toggle))]),
            (.right, [.press(.seek(5))]), (.character("+"), [.press(.volume(5))]),
            (.character("5"), [.press(.unknown)]), (.character("w"), [.explain]),
            (.control("l"), [.repaint]), (.character("d"), [.leave]),
            (.character(">"), [.press(.player(.next))]), (.character("s"), [.press(.shuffle)]),
        ] as [(KeyStroke, [ScreenCommand])])
    func `The full screen has a command for a key`(
        stroke: KeyStroke, commands: [ScreenCommand]
    ) {
        var screen = Self.screen(count: 5)

        #expect(screen.handle(.stroke(stroke)) == commands)
    }

    @Test func `The full screen goes through what was found by n and N, round and round`() {
        var screen = Self.screen(count: 20)

        let early = screen.handle(.stroke(.character("n")))
        Self.search("ab", finding: [3, 7, 12], in: &screen)
        let chosen = screen.queue.cursor.place
        let forward = (0..<3).map { _ in
            _ = screen.handle(.stroke(.character("n")))
            return screen.queue.cursor.place
        }
        let note = screen.note
        _ = screen.handle(.stroke(.character("N")))
        let back = screen.queue.cursor.place
        _ = screen.handle(.stroke(.home))
        _ = screen.handle(.stroke(.down))
        _ = screen.handle(.stroke(.character("N")))

        #expect(early == [.endNote(1)])
        #expect(chosen == 3)
        #expect(forward == [7, 12, 3] && note == "match 1 of 3")
        #expect(back == 12 && screen.queue.cursor.place == 12)
        #expect(screen.note == "match 3 of 3")
    }

    @Test func `The full screen searches again for n once the queue has changed`() {
        var screen = Self.screen(count: 20)
        Self.search("ab", finding: [3, 7], in: &screen)
        let request = QueueSearch.Request(words: ["ab"])

        let load = screen.handle(.event(.queue(count: 20)))
        _ = screen.handle(.list(Self.list(0..<20, of: 20), for: Self.request(in: load)))
        let again = screen.handle(.stroke(.character("N")))
        let waiting = screen.handle(.stroke(.character("N")))
        let waited = screen.queue.cursor.place
        _ = screen.handle(.found(Self.reply([2, 9].map { Self.found($0) }), for: request))
        let found = screen.queue.cursor.place
        let fresh = screen.handle(.stroke(.character("n")))

        #expect(again == [.search(request)] && waiting == [])
        #expect(waited == 3 && found == 2)
        #expect(fresh.first == .endNote(2) && screen.queue.cursor.place == 9)
    }

    @Test func `The full screen says that nothing was found once the matches have gone`() {
        var screen = Self.screen(count: 20)
        Self.search("ab", finding: [3], in: &screen)

        _ = screen.handle(.event(PlayerEvent(.tags(1))))
        _ = screen.handle(.stroke(.character("n")))
        _ = screen.handle(.found(Self.reply([]), for: QueueSearch.Request(words: ["ab"])))

        #expect(screen.note == "no matches" && screen.queue.cursor.place == 3)
    }

    // MARK: The mouse

    @Test func `The full screen selects by a click, and plays by a double one`() {
        var screen = Self.screen(count: 1000)

        let first = screen.handle(.mouse(Mouse(.press, column: 9, row: 4), at: 10))
        let released = screen.handle(.mouse(Mouse(.release, column: 9, row: 4), at: 10.1))
        let selected = screen.queue.cursor.place
        let other = screen.handle(.mouse(Mouse(.press, column: 9, row: 5), at: 10.2))
        let late = screen.handle(.mouse(Mouse(.press, column: 9, row: 5), at: 10.7))
        let double = screen.handle(.mouse(Mouse(.press, column: 9, row: 5), at: 11))
        let third = screen.handle(.mouse(Mouse(.press, column: 9, row: 5), at: 11.1))

        #expect(first + released + other + late + third == [])
        #expect(selected == 3 && screen.queue.cursor.place == 4)
        #expect(double == [.play(4)])
    }

    @Test func `The full screen scrolls by the wheel, and the cursor stays in what is shown`() {
        var screen = Self.screen(count: 1000)

        _ = screen.handle(.mouse(Mouse(.wheelDown, column: 0, row: 3), at: 0))
        _ = screen.handle(.mouse(Mouse(.wheelDown, column: 0, row: 3), at: 0))
        let down = (screen.queue.visible, screen.queue.cursor.place)
        _ = screen.handle(.stroke(.pageDown))
        let paged = (screen.queue.visible, screen.queue.cursor.place)
        for _ in 0..<9 { _ = screen.handle(.mouse(Mouse(.wheelUp, column: 0, row: 3), at: 0)) }

        #expect(down == (6..<16, 6))
        #expect(paged == (6..<16, 15))
        #expect((screen.queue.visible, screen.queue.cursor.place) == (0..<10, 9))
    }

    @Test func `The full screen pauses by a click on what plays, and seeks by one on the bar`() {
        var screen = Self.screen(count: 3)
        _ = screen.handle(.event(.began("b", seconds: 100)))
        let bar = screen.progressBar

        let playing = screen.handle(.mouse(Mouse(.press, column: 30, row: 11), at: 0))
        let start = screen.handle(.mouse(Mouse(.press, column: 5, row: 12), at: 1))
        let middle = screen.handle(.mouse(Mouse(.press, column: 40, row: 12), at: 2))
        let times = [0, 4, 75, 79].flatMap {
            screen.handle(.mouse(Mouse(.press, column: $0, row: 12), at: 3))
        }
        let others = [1, 2].flatMap {
            screen.handle(.mouse(Mouse($0 == 1 ? .other : .release, column: 9, row: 11), at: 4))
        }
        let keys = screen.handle(.mouse(Mouse(.press, column: 9, row: 13), at: 5))

        #expect(bar == Rectangle(column: 5, row: 12, columns: 70, rows: 1))
        #expect(playing == [.press(.player(.toggle))])
        #expect(start == [.press(.part(0))] && middle == [.press(.part(0.5))])
        #expect(times + others + keys == [])
    }

    @Test func `The full screen's search is used by the mouse, and a text is scrolled and left`() {
        var screen = Self.screen(count: 20)
        for character in "/ab" { _ = screen.handle(.stroke(.character(character))) }
        _ = screen.handle(
            .found(Self.reply([]), for: QueueSearch.Request(words: ["a"])))
        _ = screen.handle(
            .found(
                Self.reply([3, 7, 12].map { Self.found($0) }),
                for: QueueSearch.Request(words: ["ab"])))

        _ = screen.handle(.mouse(Mouse(.press, column: 9, row: 2), at: 1))
        let shown = screen.queue.cursor.place
        _ = screen.handle(.mouse(Mouse(.press, column: 9, row: 2), at: 1.2))
        let chosen = screen.queue.cursor.place
        _ = screen.handle(.text((0..<30).map { "line \($0)" }))
        _ = screen.handle(.mouse(Mouse(.wheelDown, column: 0, row: 3), at: 3))
        let text = screen.frame.canvas.text(row: 1)
        _ = screen.handle(.mouse(Mouse(.release, column: 0, row: 3), at: 4))
        let kept = screen.frame.canvas.text(row: 1)
        _ = screen.handle(.mouse(Mouse(.press, column: 0, row: 3), at: 5))

        #expect(shown == 0 && chosen == 7)
        #expect(text.hasPrefix("line 3 ") && kept == text)
        #expect(!screen.frame.canvas.text(row: 1).hasPrefix("line"))
    }

    @Test func `The full screen asks how long the queue plays, once at a time, where it shows it`()
    {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: 80, rows: 24)))
        var low = PlayerScreen()
        _ = low.handle(.size(ScreenLayout(columns: 80, rows: 15)))

        let first = screen.handle(.event(.queue(count: 3)))
        let during = screen.handle(.event(PlayerEvent(.tags(3))))
        let again = screen.handle(.time(QueueTime(seconds: 60, secondsAfter: 20, hasCurrent: true)))
        let last = screen.handle(.time(nil))
        let unknown = screen.timeTexts
        _ = screen.handle(.time(QueueTime(seconds: 60, secondsAfter: 20, hasCurrent: true)))
        let withoutRest = screen.timeTexts
        _ = screen.handle(.event(.began("b", seconds: 30)))
        _ = screen.handle(.event(.time(10)))

        #expect(first.contains(.measure) && !during.contains(.measure))
        #expect(again.contains(.measure) && !last.contains(.measure))
        #expect(!low.handle(.event(.queue(count: 3))).contains(.measure))
        #expect(unknown == [""])
        #expect(withoutRest == ["1:00 in all, 0:20+ left", "0:20+ left", ""])
        #expect(screen.timeTexts == ["1:00 in all, 0:40 left", "0:40 left", ""])
    }

    @Test func `The full screen scrolls a text, which any other key ends`() {
        var screen = Self.screen(count: 5)

        _ = screen.handle(.text((0..<30).map { "line \($0)" }))
        _ = screen.handle(.stroke(.pageDown))
        let scrolled = screen.frame.canvas.text.split(separator: "\n")[0]
        for _ in 0..<9 { _ = screen.handle(.stroke(.pageDown)) }
        let last = screen.frame.canvas.text.split(separator: "\n")[9]
        let commands = screen.handle(.stroke(.character("q")))

        #expect(scrolled == "line 9" && last == "line 29")
        #expect(commands == [] && screen.text == nil)
    }

    @Test func `The full screen forgets a note when its time is over, unless another one has come`()
    {
        var screen = Self.screen(count: 5)

        let first = screen.handle(.note("one"))
        let second = screen.handle(.note("two"))
        _ = screen.handle(.noteOver(1))
        let kept = screen.note
        _ = screen.handle(.noteOver(2))

        #expect(first == [.endNote(1)] && second == [.endNote(2)])
        #expect(kept == "two" && screen.note == nil)
    }

    @Test func `The full screen shows title and length of what will play, before it has begun`() {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: 80, rows: 14)))

        let event = PlayerEvent.queue(.paused, count: 3, titles: ["1.mp3"])
        let request = Self.request(in: screen.handle(.event(event)))
        var list = Self.list(0..<3, of: 3)
        (list.items[0].title, list.items[0].artist) = ("Title", "Artist")
        _ = screen.handle(.list(list, for: request))

        #expect(screen.playing.lengthText == "1:05")
        #expect(screen.playing.words(columns: 80).hasPrefix("Artist - Title"))
        _ = screen.handle(.event(.began("Other", seconds: 3)))
        _ = screen.handle(.event(PlayerEvent(.tags(1))))
        #expect(screen.playing.lengthText == "0:03")
    }

    @Test func `The full screen asks for its panel's content only if wide, and when that changes`()
    {
        var wide = PlayerScreen()
        var narrow = PlayerScreen()

        let commands = [
            wide.handle(.size(ScreenLayout(columns: 200, rows: 14))),
            wide.handle(.size(ScreenLayout(columns: 201, rows: 14))),
            wide.handle(.event(.began("b"))), wide.handle(.event(.time(3))),
            narrow.handle(.size(ScreenLayout(columns: 80, rows: 14))),
            narrow.handle(.event(.began("b"))),
        ]

        #expect(commands == [[.look], [], [.look], [], [], []])
    }

    @Test func `The full screen asks again when more tags are known, and only then`() {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: 80, rows: 14)))
        var list = Self.list(0..<3, of: 3)
        for index in list.items.indices { list.items[index].duration = nil }
        let request = Self.request(in: screen.handle(.event(.queue(count: 3))))

        let unread = screen.handle(.list(list, for: request))
        let read = screen.handle(.event(PlayerEvent(.tags(3))))

        #expect(unread == [])
        #expect(read.count == 1)
        _ = screen.handle(.list(Self.list(0..<3, of: 3), for: Self.request(in: read)))
        #expect(screen.queue.list[0]?.duration != nil)
    }

    // MARK: Making screens

    static func item(_ id: Int, _ title: String? = nil, artist: String? = nil) -> ListedItem {
        var item = ListedItem(
            id: id, title: title ?? "Song \(id)", path: "/\(id).mp3",
            duration: WireTime(value: 65, timescale: 1))
        (item.artist, item.album) = (artist, artist.map { "The album of \($0)" })
        return item
    }

    static func list(_ ids: Range<Int>, of count: Int) -> QueueList {
        QueueList(
            items: ids.map { item($0) }, current: nil, offset: ids.lowerBound, count: count)
    }

    /// A screen of ten rows of the list, which has all items that it shows.
    static func screen(count: Int, columns: Int = 80) -> PlayerScreen {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: columns, rows: 14)))
        let request = request(in: screen.handle(.event(.queue(count: count))))
        _ = screen.handle(.list(list(0..<min(count, 60), of: count), for: request))
        return screen
    }

    static func request(in commands: [ScreenCommand]) -> QueueWindow.Request {
        for case .load(let request) in commands { return request }
        Issue.record("nothing is requested by \(commands)")
        return QueueWindow.Request(offset: 0, limit: 0, number: 0)
    }

    /// Searches for a word, and goes to the first of the places that it finds.
    private static func search(_ word: String, finding places: [Int], in screen: inout PlayerScreen)
    {
        for character in "/" + word { _ = screen.handle(.stroke(.character(character))) }
        for count in 1...word.count {
            let words = [String(word.prefix(count))]
            _ = screen.handle(
                .found(reply(places.map { found($0) }), for: QueueSearch.Request(words: words)))
        }
        _ = screen.handle(.stroke(.enter))
    }

    private static func found(_ place: Int) -> ListedItem {
        var item = item(place)
        (item.index, item.number) = (place, place + 1)
        return item
    }

    private static func reply(_ found: [ListedItem]) -> FoundItems {
        FoundItems(found: found, count: 1000, current: nil)
    }

    private static func ids(_ screen: PlayerScreen) -> [Int] {
        (0..<screen.queue.list.count).compactMap { screen.queue.list[$0]?.id }
    }
}
