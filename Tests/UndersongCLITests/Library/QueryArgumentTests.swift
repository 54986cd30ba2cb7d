import ArgumentParser
import TestSupport
import Testing
import UndersongLibrary

@testable import UndersongCLI

/// Queries on the command line.
@Suite struct `A query on the command line` {
    @Test(
        .rule("LQ9"),
        arguments: [
            ([], ""), (["björk"], "björk"), (["artist:björk", "live"], "artist:björk live"),
            (["album:Abbey Road"], #"album:"Abbey Road""#),
            (["-album:=Abbey Road", "beatles"], #"-album:="Abbey Road" beatles"#),
            (["Album:^Abbey Ro"], #"album:^"Abbey Ro""#),
            (["album:Vol. 1: Rain"], #"album:"Vol. 1: Rain""#),
            (["album:OK Computer: Live"], #"album:"OK Computer: Live""#),
            // Two conditions that were quoted together are two.
            (["artist:björk year:1995.."], "artist:björk year:1995.."),
            (["artist:björk -live"], "artist:björk -live"), (["artist:a OR artist:b"], nil),
            (["artist:björk @Quiet"], "artist:björk @Quiet"),
            ([#"album:"Abbey Road" live"#], #"album:"Abbey Road" live"#),
            (["(artist:a b)", "c"], "(artist:a b) c"), (["year:1995 2000"], "year:1995 2000"),
            (["Abbey Road"], "Abbey Road"), (["", "a", ""], "a"),
        ] as [([String], String?)])
    func `A query gets the quotes back that the shell has removed from a text of several words`(
        words: [String], text: String?
    ) throws {
        #expect(CheckedQuery.text(words) == text ?? words[0])
        #expect(try CheckedQuery(words, to: "test").text == text ?? words[0])
    }

    @Test(arguments: [
        ("artist:björk yaer:1995", 13..<18, "  artist:björk yaer:1995\n               ^~~~~"),
        ("(a", 0..<1, "  (a\n  ^"), ("", 0..<0, "  \n  ^"), ("日本 x:", 3..<5, "  日本 x:\n       ^~"),
        ("a\nb", 2..<3, "  a b\n    ^"), ("ab", 1..<9, "  ab\n   ^"),
    ])
    func `A query with an error has a mark below the wrong characters`(
        text: String, range: Range<Int>, lines: String
    ) {
        #expect(QueryMark.lines(text, range) == lines)
    }

    @Test(arguments: ["", " ", "sort:"])
    func `A query as an option may not be empty or wrong`(text: String) {
        #expect(throws: (any Error).self) { try CheckedQuery(option: text, to: "play") }
    }

    @Test func `A query keeps its own order, and otherwise gets one`() throws {
        let plain = try CheckedQuery(["a", "OR", "b"], to: "test")
        let ordered = try CheckedQuery(["a", "sort:-year", "limit:3"], to: "test")

        #expect(plain.ordered(by: .added, isDescending: true).text == "a OR b sort:-added")
        #expect(ordered.ordered(by: .added).text == "a sort:-year limit:3")
        #expect(plain.adding(.number(.plays, 1...(.infinity))).text == "(a OR b) plays:1..")
    }

    @Test(arguments: [
        (
            ["library", "tracks", "artist:a", "-live", "--json"],
            "library tracks --json -- artist:a -live"
        ),
        (["library", "albums", "-x", "--limit", "3"], "library albums --limit 3 -- -x"),
        (["library", "tracks", "-h"], "library tracks -h"),
        (["library", "list", "-x"], "library list -x"),
        (["rating", "4", "-live"], "rating -- 4 -live"),
        (["favourite", "on", "-live", "--session", "a"], "favourite --session a -- on -live"),
        (["queue", "search", "a", "-live"], "queue search -- a -live"),
        (["queue", "add", "-x"], "queue add -x"), (["queue", "jump", "-x"], "queue jump -x"),
        (["queue", "jump", "-1"], "queue jump -- -1"),
        (["library", "tracks", "--", "-live"], "library tracks -- -live"),
    ])
    func `A query may exclude words by a minus sign`(arguments: [String], ordered: String) {
        #expect(Arguments.ordered(arguments).joined(separator: " ") == ordered)
    }

    @Test func `A query is completed by fields, flags, and the values of a field`() {
        let ask = { (call: GroupTracks) -> [LibraryGroup] in
            guard call.by == .artist, call.page.query == "artist:^Bj" else { return [] }
            return ["Björk", "Bjørn", "Abjo", nil].map {
                LibraryGroup(name: $0, trackCount: 1, seconds: 1, added: 0, query: "")
            }
        }

        let fields = QueryCompletion.words(for: "ar", ask)

        #expect(fields.contains("artist:") && fields.contains("is:favourite"))
        #expect(QueryCompletion.words(for: "artist:Bj", ask) == ["artist:Björk", "artist:Bjørn"])
        #expect(QueryCompletion.words(for: "sort:a", ask).contains("sort:added"))
        #expect(QueryCompletion.words(for: "year:19", ask) == [])
        #expect(QueryCompletion.words(for: "nosuch:x", ask) == [])
    }
}
