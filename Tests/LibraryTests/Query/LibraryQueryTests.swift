import Foundation
import TestSupport
import Testing
import UndersongBase

@testable import UndersongLibrary

private typealias Condition = LibraryQuery.Condition

@Suite struct `The query language` {
    private static let all: [(String, LibraryQuery)] = [
        ("", LibraryQuery()),
        ("  \t\n ", LibraryQuery()),
        ("live", LibraryQuery(.word("live"))),
        ("Sigur Rós", LibraryQuery(.all([.word("Sigur"), .word("Rós")]))),
        ("\"Sigur Rós\"", LibraryQuery(.word("Sigur Rós"))),
        (#""say \"hi\" c:\\d \n""#, LibraryQuery(.word(#"say "hi" c:\d \n"#))),
        ("12\" 7\"", LibraryQuery(.all([.word("12\""), .word("7\"")]))),
        ("16:9 3:30", LibraryQuery(.all([.word("16:9"), .word("3:30")]))),
        ("Theme: Part", LibraryQuery(.all([.word("Theme:"), .word("Part")]))),
        ("https://a.org/b", LibraryQuery(.word("https://a.org/b"))),
        ("Björk - Jóga – 2", LibraryQuery(.all([.word("Björk"), .word("Jóga"), .word("2")]))),
        ("-live", LibraryQuery(.not(.word("live")))),
        ("-\"a b\" -artist:x", LibraryQuery(.all([.not(.word("a b")), .not(artist("x"))]))),
        ("NOT a", LibraryQuery(.not(.word("a")))),
        ("a OR b", LibraryQuery(.any([.word("a"), .word("b")]))),
        ("a or b", LibraryQuery(.all([.word("a"), .word("or"), .word("b")]))),
        ("a \"OR\" b", LibraryQuery(.all([.word("a"), .word("OR"), .word("b")]))),
        ("a b OR c", LibraryQuery(.any([.all([.word("a"), .word("b")]), .word("c")]))),
        ("a (b OR c)", LibraryQuery(.all([.word("a"), .any([.word("b"), .word("c")])]))),
        (
            "a AND b OR c AND d",
            LibraryQuery(
                .any([.all([.word("a"), .word("b")]), .all([.word("c"), .word("d")])]))
        ),
        ("-(a b)", LibraryQuery(.not(.all([.word("a"), .word("b")])))),
        ("((a))", LibraryQuery(.word("a"))),
        ("()", LibraryQuery(.all([]))),
        ("Song(live) :)", LibraryQuery(.all([.word("Song(live)"), .word(":)")]))),
        ("(f(x) b)", LibraryQuery(.all([.word("f(x)"), .word("b")]))),
        ("Artist:Björk", LibraryQuery(artist("Björk"))),
        ("album:\"Red Album\"", LibraryQuery(.text(.album, .contains, "Red Album"))),
        ("artist:=björk", LibraryQuery(.text(.artist, .equals, "björk"))),
        ("artist:=\"\"", LibraryQuery(.text(.artist, .equals, ""))),
        ("path:^\"/my music/\"", LibraryQuery(.text(.path, .begins, "/my music/"))),
        ("title:\"=x\"", LibraryQuery(.text(.title, .contains, "=x"))),
        ("title:a:b=c", LibraryQuery(.text(.title, .contains, "a:b=c"))),
        ("musicbrainz_trackid:=8a", LibraryQuery(.text(.musicbrainzTrack, .equals, "8a"))),
        ("year:1995", LibraryQuery(.number(.year, 1995...1995))),
        ("year:1995..", LibraryQuery(.number(.year, 1995...(.infinity)))),
        ("year:..1999", LibraryQuery(.number(.year, -.infinity...1999))),
        ("year:..", LibraryQuery(.number(.year, -.infinity...(.infinity)))),
        ("rating:3..4", LibraryQuery(.number(.rating, 3...4))),
        ("length:..3m", LibraryQuery(.number(.length, -.infinity...180))),
        ("length:1h2m3s..1:02:04", LibraryQuery(.number(.length, 3723...3724))),
        ("length:3:30", LibraryQuery(.number(.length, 210...210))),
        ("samplerate:44.1k", LibraryQuery(.number(.samplerate, 44100...44100))),
        ("samplerate:96000..", LibraryQuery(.number(.samplerate, 96000...(.infinity)))),
        ("bitrate:320k..", LibraryQuery(.number(.bitrate, 320...(.infinity)))),
        ("bitrate:320", LibraryQuery(.number(.bitrate, 320...320))),
        ("added:30d", LibraryQuery(.time(.added, TimeRange(from: .ago(30, .days))))),
        ("played:..1Y", LibraryQuery(.time(.played, TimeRange(to: .ago(1, .years))))),
        ("added:2026-01", january),
        ("added:2026-01..2026-01", january),
        (
            "modified:2026-01-31T12:30:05Z..2027",
            LibraryQuery(
                .time(.modified, TimeRange(from: .time(1_769_862_605), to: .date(year: 2027))))
        ),
        ("is:favourite has:cover", LibraryQuery(.all([.flag(.favourite), .flag(.cover)]))),
        (
            "sort:-year sort:title",
            LibraryQuery(
                order: [.init(.year, isDescending: true), .init(.title)])
        ),
        (
            "a OR b sort:random limit:20",
            LibraryQuery(
                .any([.word("a"), .word("b")]), order: [.init(.random)], limit: 20)
        ),
        (
            "@party -@\"slow ones\"",
            LibraryQuery(
                .all([.saved("party"), .not(.saved("slow ones"))]))
        ),
    ]
    private static let january = LibraryQuery(
        .time(.added, TimeRange(from: .date(year: 2026, month: 1), to: .date(year: 2026, month: 1)))
    )

    private static func artist(_ text: String) -> Condition { .text(.artist, .contains, text) }

    @Test(.rule("LQ1"), arguments: all)
    func `A query is understood`(_ text: String, as query: LibraryQuery) throws {
        #expect(try LibraryQuery(text) == query)
        #expect(try LibraryQuery(query.text) == query)
    }

    @Test(
        .rule("LQ3"),
        arguments: [
            ("artits:x", "artits: is not a field; did you mean artist:?", 0..<7),
            ("a foo:x", "foo: is not a field; quotes make it a text", 2..<6),
            ("é́ foo:\"x y\"", "foo: is not a field; quotes make it a text", 2..<6),
            ("a \"b c", "the quote is not closed", 2..<3),
            ("a (b OR c", "the parenthesis is not closed", 2..<3),
            ("a b)", "no parenthesis", nil),
            ("a )", "no parenthesis is open", 2..<3),
            ("artist:", "nothing after artist:", 0..<7),
            ("artist:= x", "nothing after artist:=", 0..<8),
            ("a OR", "nothing after OR", 2..<4),
            ("OR a", "nothing before OR", 0..<2),
            ("a OR OR b", "nothing after OR", 2..<4),
            ("a AND OR b", "nothing after AND", 2..<5),
            ("a OR limit:3", "nothing after OR", 2..<4),
            ("(a OR) b", "nothing after OR", 3..<5),
            ("a NOT", "nothing after NOT", 2..<5),
            ("(-)", nil, nil),
            ("year:199x", "year: 199x is not a number or a range such as 4..", 0..<9),
            ("year:1995-2000", "year: a range is written as 1995..2000", 0..<14),
            ("year:>=1995", "year: a range is written as 1995..", 0..<11),
            ("year:2000..1990", "year: 2000..1990 ends before it begins", 0..<15),
            ("rating:6", "rating: 6 is not a rating from 0, which is none, to 5", 0..<8),
            ("length:3:60", "length: 3:60 is not a length such as 3:30, 3m or 210", 0..<11),
            ("length:m", "length: m is not a length such as 3:30, 3m or 210", 0..<8),
            ("length:5m1h", "length: 5m1h is not a length such as 3:30, 3m or 210", 0..<11),
            ("bitrate:.5", "bitrate: .5 is not a rate such as 320k", 0..<10),
            ("added:2026-02-30", "added: the calendar has no 2026-02-30", 0..<16),
            ("added:30", "added: 30 is not a date such as 2026-01 or an age such as 30d", 0..<8),
            ("added:1d..30d", "added: 1d..30d ends before it begins", 0..<13),
            ("is:cover", "is: cover is not a property; there are is:favourite", nil),
            ("has:favourite", "has: favourite is not a property; there are is:favourite", nil),
            ("sort:-loud", "sort: loud is not an order; there are title, artist,", nil),
            ("(sort:year)", "sort: it belongs to the query as a whole", 1..<10),
            ("-limit:3", "limit: it belongs to the query as a whole", 1..<8),
            ("limit:0", "limit: 0 is not a number above 0", 0..<7),
            ("limit:1 limit:2", "limit: there is another limit", 8..<15),
            ("@", "@ is followed by the name of a saved query", 0..<1),
        ] as [(String, String?, Range<Int>?)])
    func `A query that is wrong is refused with the reason and where it is`(
        _ text: String, _ reason: String?, _ range: Range<Int>?
    ) throws {
        // These are words at the end, in spite of their look.
        let isRight = ["a b)", "(-)"].contains(text)
        guard !isRight, let reason else {
            _ = try LibraryQuery(text)
            return
        }
        let error = try #require(throws: QueryError.self) { try LibraryQuery(text) }
        #expect(error.reason.hasPrefix(reason))
        if let range { #expect(error.range == range) }
    }

    @Test(.rule("LQ3")) func `A query that is too long or too deep is refused`() throws {
        func reason(_ text: String) throws -> String {
            try #require(throws: QueryError.self) { try LibraryQuery(text) }.reason
        }
        func repeated(_ text: String, _ count: Int) -> String {
            String(repeating: text, count: count)
        }
        #expect(try reason(repeated("ä", 8193)).contains("longer than 16384 bytes"))
        #expect(try reason(repeated("a ", 501)).contains("more than 500 conditions"))
        #expect(try reason(repeated("(", 65) + "a").contains("more than 64 parentheses"))
        #expect(try reason(repeated("-", 65) + "a").contains("more than 64 parentheses"))
        _ = try LibraryQuery(repeated("a ", 500))
        _ = try LibraryQuery(repeated("(", 64) + "a" + repeated(")", 64))
    }

    @Test(
        .rule("LQ8"),
        arguments: [
            ("bj", "bj"), ("album:\"red al", "album:\"red al\""), ("a (b OR c", "a (b OR c)"),
            ("a artist:", "a"), ("a artist:=", "a"), ("a artist:\"", "a"), ("a \"", "a"),
            ("a OR", "a"), ("a OR (", "a"), ("a NOT", "a"), ("a -", "a"), ("a -(", "a"),
            ("a -(artist:", "a"), ("a year:19..1", "a"), ("a rating:4.", "a"), ("a is:fav", "a"),
            ("a sort:", "a"), ("a @", "a"), ("@par", "@par"), ("a artits:b", "a"), ("", ""),
        ])
    func `The end of a query that is being typed has no effect before it is complete`(
        _ text: String, _ same: String
    ) throws {
        #expect(try LibraryQuery(typed: text) == LibraryQuery(same))
    }

    @Test(.rule("LQ8")) func `What is wrong before the end of a typed query is an error`() {
        #expect(throws: QueryError.self) { try LibraryQuery(typed: "artits:b c") }
        #expect(throws: QueryError.self) { try LibraryQuery(typed: "(year:x) c") }
        #expect(throws: QueryError.self) { try LibraryQuery(typed: "a OR OR c") }
    }

    @Test(.rule("LQ4")) func `Any query is understood in its written form`() throws {
        for seed in 1...1000 {
            var random = RandomQueries(seed: UInt64(seed))
            let query = random.query()
            #expect(try LibraryQuery(query.text) == query, "\(query.text)")
        }
    }

    @Test(.rule("LQ4")) func `Any text is understood or refused, and means the same again`() {
        let parts = [
            "a", "é", "\u{301}", " ", " ", "\"", "\\", "(", ")", "-", ":", "=", "^", "..", "OR",
            "@",
            "AND", "artist:", "year:", "added:", "is:", "sort:", "limit:", "5", "30d", "2026",
            "\r\n",
            "favourite", "\0", "🏳️‍🌈", "–", "//",
        ]
        var understood = 0
        for seed in 1...4000 {
            var numbers = SeededGenerator(seed: UInt64(seed))
            let text = (0...Int.random(in: 0..<9, using: &numbers)).map { _ in
                parts.randomElement(using: &numbers) ?? ""
            }.joined()
            let offsets = 0...text.count
            for parse in [{ try LibraryQuery(text) }, { try LibraryQuery(typed: text) }] {
                do {
                    let query = try parse()
                    understood += 1
                    #expect((try? LibraryQuery(query.text)) == query, "\(text)")
                } catch let error as QueryError {
                    let range = error.range
                    #expect(range.map { offsets.contains($0.upperBound) } == true, "\(text)")
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(understood > 2000)
    }
}

@Suite struct `Saved queries in a query` {
    private let saved = [
        "rock": "genre:rock OR genre:metal", "top": "@rock rating:4.. sort:-rating limit:10",
        "new": "added:30d sort:-added", "loop": "a @loop", "one": "@two", "two": "-@one",
        "bad": "a artits:x", "none": "", "big": "(@many) OR -@many",
        "many": String(repeating: "x ", count: 300),
    ]

    private func resolved(_ text: String) throws -> LibraryQuery {
        try LibraryQuery(text).resolved { saved[$0] }
    }

    @Test(
        .rule("LQ6"),
        arguments: [
            ("@rock", "genre:rock OR genre:metal"),
            ("@rock a", "(genre:rock OR genre:metal) a"),
            ("b OR -@rock", "b OR -(genre:rock OR genre:metal)"),
            ("@top", "(genre:rock OR genre:metal) rating:4.. sort:-rating limit:10"),
            (
                "@top sort:year limit:20",
                "(genre:rock OR genre:metal) rating:4.. sort:year limit:20"
            ),
            ("@new x", "added:30d x"), ("@none x", "() x"), ("@none", ""),
        ])
    func `A saved query is a condition, or a list if it is alone`(
        _ text: String, _ same: String
    ) throws {
        #expect(try resolved(text) == LibraryQuery(same))
    }

    @Test(
        .rule("LQ6"),
        arguments: [
            ("@what", "no saved query is called what"), ("@loop", "@loop contains itself"),
            ("@one", "@one contains itself"), ("x @top", "@top has a limit"),
            ("@bad", "the saved query @bad cannot be understood: artits: is not a field"),
            ("@big", "more than 500 conditions"),
        ])
    func `A saved query that cannot be used is refused`(_ text: String, _ reason: String) throws {
        let error = try #require(throws: QueryError.self) { try resolved(text) }
        #expect(error.description.contains(reason))
    }
}
