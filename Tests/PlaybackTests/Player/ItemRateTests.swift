import Testing

@testable import UndersongPlayback

@Suite struct `A rate` {
    private static func rate(long: Double) -> PlayerSettings {
        var settings = PlayerSettings()
        settings.rates[.long] = long
        return settings
    }

    private static func settingsReports(_ effects: [Player.Effect]) -> Int {
        effects.count { if case .report(.settings) = $0 { true } else { false } }
    }

    @Test func `A rate set for a long item is not that of the music after it`() throws {
        var stepped = SteppedPlayer(items: 2, memory: TransientFileMemory())
        stepped.feed(.command(.play))
        stepped.open(seconds: 3600)
        let long = try #require(stepped.passages.first)
        stepped.begin(long)
        stepped.set(rate: 1.5)
        #expect(stepped.passages.last?.item.id == stepped.ids[0])
        #expect(stepped.passages.last?.settings.rate == 1.5)

        stepped.open(seconds: 3600)
        let music = try #require(stepped.passages.last)
        stepped.open(seconds: 240)
        #expect(music.item.id == stepped.ids[1] && music.settings.rate == 1)
        #expect(stepped.player.settings.rate == 1.5)

        let effects = stepped.feed(
            .stream(.began(Timeline.Segment(passage: music.id, item: music.item.id, start: 0))))
        #expect(stepped.player.settings.rate == 1)
        #expect(Self.settingsReports(effects) == 1)

        stepped.feed(.command(.jump(stepped.ids[0])))
        #expect(stepped.player.settings.rate == 1.5)
        #expect(stepped.passages.last?.settings.rate == 1.5)
    }

    @Test func `A rate belongs to the feed of an episode`() {
        let memory = TransientFileMemory(feeds: ["/1.mp3": 7, "/2.mp3": 7, "/3.mp3": 8])
        var stepped = SteppedPlayer(items: 4, memory: memory)
        stepped.set(rate: 1.25)

        let rates = stepped.ids.map { id in
            stepped.feed(.command(.jump(id)))
            return stepped.player.settings.rate
        }

        #expect(rates == [1.25, 1.25, 1, 1])
        #expect(stepped.passages.last?.settings.rate == 1)
    }

    @Test(arguments: [1, 1.5])
    func `A rate that comes with a queue is that of its first item from the start`(rate: Double) {
        var stepped = SteppedPlayer(items: 1, memory: TransientFileMemory())
        stepped.set(rate: 1.5)
        stepped.feed(.command(.play))
        stepped.open(seconds: 3600)
        let (count, id) = (stepped.passages.count, stepped.add())

        stepped.feed(.edit(.replaceQueue([id], rate: rate, seed: 0, isCommitted: false)))
        #expect(stepped.player.settings.rate == rate)
        stepped.feed(.command(.play))
        stepped.open(seconds: 200)

        #expect(stepped.passages.dropFirst(count).allSatisfy { $0.settings.rate == rate })
        #expect(stepped.passages.last?.item.id == id)
        #expect(stepped.player.settings.rates == ItemRates(text: "long 1.5, short \(rate)"))
    }

    @Test func `A rate set before a file is open belongs to the kind that it turns out to be`() {
        var stepped = SteppedPlayer(items: 2, memory: TransientFileMemory())
        stepped.set(rate: 1.5)
        stepped.feed(.command(.play))
        #expect(stepped.passages.last?.settings.rate == 1.5)
        #expect(stepped.player.settings.rates == ItemRates())

        let count = stepped.passages.count
        stepped.open(seconds: 3600)

        #expect(stepped.player.settings.rates == ItemRates(text: "long 1.5"))
        #expect(stepped.player.settings.rate == 1.5)
        // The next item, and no other passage for the first one.
        #expect(stepped.passages.dropFirst(count).map(\.item.id) == [stepped.ids[1]])
        #expect(stepped.passages.last?.settings.rate == 1)
    }

    @Test func `A rate set while the queue is empty is that of what plays first`() {
        var stepped = SteppedPlayer(items: 0, memory: TransientFileMemory())
        stepped.set(rate: 1.5)
        let id = stepped.add()
        stepped.feed(.edit(.change(.insert([id], .end, seed: 0))))
        stepped.feed(.command(.play))
        stepped.open(seconds: 200)

        #expect(stepped.player.settings.rates == ItemRates(text: "short 1.5"))
        #expect(stepped.passages.allSatisfy { $0.settings.rate == 1.5 })
    }

    @Test func `The rate of a file that turns out to be long is corrected before it is heard`()
        throws
    {
        var stepped = SteppedPlayer(
            items: 3, settings: Self.rate(long: 2), memory: TransientFileMemory())
        stepped.feed(.command(.play))
        #expect(stepped.passages.last?.settings.rate == 1)

        let first = stepped.open(seconds: 3600).compactMap(\.passage)
        #expect(first.map(\.settings.rate) == [2] && first.map(\.item.id) == [stepped.ids[0]])
        #expect(stepped.player.settings.rate == 2)

        let second = try #require(stepped.open(seconds: 3600).compactMap(\.passage).first)
        #expect(second.item.id == stepped.ids[1] && second.settings.rate == 1)
        let again = stepped.open(seconds: 3600)
        let replaced = try #require(again.compactMap(\.passage).first)
        #expect(replaced.item.id == stepped.ids[1] && replaced.settings.rate == 2)
        let isAfterTheFirst = again.contains {
            if case .schedule(.splice(_, .after(first.last?.id))) = $0 { true } else { false }
        }
        #expect(isAfterTheFirst)
        let third = stepped.open(seconds: 3600).compactMap(\.passage)
        #expect(third.map(\.item.id) == [stepped.ids[2]])
    }

    @Test func `The rate of a part is its own, not that of the file in which it is`() {
        var item = item(1)
        item.facts = ItemFacts(duration: time(3600))
        let chooser = RateChooser(rates: ItemRates(), memory: TransientFileMemory())
        #expect(chooser.kind(of: item) == .long)

        item.setRange(start: time(200), end: time(500))
        #expect(chooser.kind(of: item) == .short)
        item.setRange(start: time(3500), end: nil)
        #expect(chooser.kind(of: item) == .short)
    }

    @Test func `A player that remembers no files has one rate for all items`() {
        var stepped = SteppedPlayer(items: 2)
        stepped.feed(.command(.play))
        stepped.open(seconds: 3600)
        stepped.set(rate: 1.5)
        stepped.feed(.command(.next(1)))

        #expect(stepped.player.settings.rate == 1.5)
        #expect(stepped.passages.last?.settings.rate == 1.5)
    }

    @Test func `Rates are kept as text, of which only what is understood is read`() {
        var rates = ItemRates()
        #expect(rates.text == nil && ItemRates(text: nil) == rates)
        rates[.short] = 0.9
        rates[.long] = 1.5
        #expect(rates[.feed(3)] == 1.5)
        rates[.feed(3)] = 1

        #expect(rates.text == "feed 3 1.0, long 1.5, short 0.9")
        #expect(ItemRates(text: rates.text) == rates)
        #expect(
            ItemRates(text: "long 9, feed x 1, short, feed 3 1.0, tall 1.5, long 1.5, short 0.9,")
                == rates)
    }
}
