import ArgumentParser
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The line of `status --format`, and that for Waybar.
@Suite struct `A status as one line` {
    private static let status = {
        var status = PlayerStatus.paused
        status.item?.artist = "The <Undersongs>"
        (status.genre, status.track, status.year) = ("Folk", "2/12", "1998")
        status.rating = 4
        return status
    }()

    @Test(arguments: [
        ("{artist} - {title}", "The <Undersongs> - Second Song"),
        ("{name}", "The <Undersongs> - Second Song"),
        ("{number}/{count} {position}/{duration}", "2/3 0:41/4:05"),
        ("[{album}: ]{title}", "Second Song"),
        ("[{artist}: ]{title}", "The <Undersongs>: Second Song"),
        ("[a[{album}b]c]", "ac"), ("{album}", ""), (#"\{\[x\]\\"#, #"{[x]\"#),
        ("{status} {reason}, {volume} % {rate}", "paused paused, 80 % 1.25"), ("plain", "plain"),
        ("{path}", "/music/two.mp3"),
        ("{track}. {title} ({year}, {genre})", "2/12. Second Song (1998, Folk)"),
        ("{title}[ {rating}][ {favourite}]", "Second Song 4"),
        ("{title}[: {chapter}]", "Second Song"), ("{title}[ ({badge} new)]", "Second Song"),
    ])
    func `A status template has values in place of names, and leaves out what has none`(
        template: String, text: String
    ) throws {
        #expect(try StatusTemplate(template).text(Self.status) == text)
    }

    @Test func `The times of a part of a file count from its start`() throws {
        var status = Self.status
        status.item?.start = WireTime(value: 30, timescale: 1)
        status.item?.end = WireTime(value: 74, timescale: 1)

        #expect(try StatusTemplate("{position}/{duration}").text(status) == "0:11/0:44")
        #expect(StatusText.line(status).hasPrefix("⏸ 2/3  0:11 / 0:44  "))
        #expect(WaybarText.line(status).contains(#""percentage":25"#))
    }

    @Test(arguments: [
        ("{nosuch}", "'{nosuch}' is not one of {artist}, {title}, {album}, {genre}, {track}, "),
        ("{genr}", "; did you mean 'genre'?"), ("{title", "the '{' before 'title' is not closed"),
        ("[{title}", "a bracket is not closed by ']'"), ("{}", "'{}' is not one of {artist}"),
        ("[a]b[", "a bracket is not closed by ']'"),
    ])
    func `A status template may not have unknown names or open braces, and lists the names`(
        template: String, reason: String
    ) {
        let error = #expect(throws: ValidationError.self) { try StatusTemplate(template) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test(arguments: [
        ("{title}", false), ("{position}", true), ("[{artist} [{position}]]", true),
        ("[{chapter}]", true),
    ])
    func `A status template changes while an item plays only for position and chapter`(
        template: String, isTimed: Bool
    ) throws {
        #expect(try StatusTemplate(template).showsPosition == isTimed)
    }

    @Test func `A status template is empty without an item`() throws {
        var status = PlayerStatus.paused
        (status.item, status.number) = (nil, nil)

        let template = try StatusTemplate("[{artist} - ]{title}")

        #expect(template.text(status) == "")
    }

    @Test func `A status for Waybar is escaped as markup, and hidden without an item`() {
        var empty = PlayerStatus.paused
        empty.item = nil

        #expect(
            WaybarText.line(Self.status)
                == #"{"alt":"paused","class":"paused","percentage":16,"#
                + #""text":"The &lt;Undersongs&gt; - Second Song","#
                + #""tooltip":"⏸ 2/3  0:41 / 4:05  The &lt;Undersongs&gt; - Second Song (paused)  1.25×"}"#
        )
        #expect(
            WaybarText.line(empty)
                == #"{"alt":"stopped","class":"stopped","text":"","tooltip":"nothing is playing"}"#)
    }

    @Test func `A status has the badge in a template, for Waybar and on the screen`() throws {
        var status = Self.status
        status.badge = 3
        var empty = status
        empty.item = nil

        #expect(try StatusTemplate("{title}[ ({badge} new)]").text(status) == "Second Song (3 new)")
        #expect(
            WaybarText.line(status).contains(
                #""text":"The &lt;Undersongs&gt; - Second Song (3 new)","#))
        #expect(
            WaybarText.line(empty)
                == #"{"alt":"stopped","class":"stopped","text":"3 new","tooltip":"3 new"}"#)
        #expect(StatusText.screen(status).contains("\n  3 new since the player was opened\n"))
    }

    @Test(arguments: [
        ("userPaused", 3, "paused"), ("appBackgrounded", 3, "silent in the background"),
        ("noItemToPlay", 3, "end of the queue"), ("noItemToPlay", 0, "the queue is empty"),
        ("newReason", 3, "newReason"),
    ])
    func `A status template gives reasons in words`(reason: String, count: Int, words: String) {
        #expect(ReasonText.words(Open(word: reason), count: count) == words)
    }

    @Test func `A status template without any items says that the queue is empty`() {
        var status = PlayerStatus.paused
        status.count = 0

        #expect(ReasonText.words(status) == "the queue is empty")
    }
}
