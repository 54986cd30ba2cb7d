import Control
import Testing

@testable import UndersongCLI

/// The line of `status --format`, and that for Waybar.
@Suite struct `A status as one line` {
    private static let status = {
        var status = Status.paused
        status.item?.artist = "The <Undersongs>"
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
    ])
    func `has values in place of names, and leaves out what has none`(
        template: String, text: String
    ) throws {
        #expect(try #require(StatusTemplate(argument: template)).text(Self.status) == text)
    }

    @Test(arguments: ["{nosuch}", "{title", "[{title}", "{}", "[a]b["])
    func `does not accept unknown names and open braces`(template: String) {
        #expect(StatusTemplate(argument: template) == nil)
    }

    @Test(arguments: [("{title}", false), ("{position}", true), ("[{artist} [{position}]]", true)])
    func `changes all the time only if it has the position`(template: String, isTimed: Bool) {
        #expect(StatusTemplate(argument: template)?.showsPosition == isTimed)
    }

    @Test func `is empty without an item`() throws {
        var status = Status.paused
        (status.item, status.number) = (nil, nil)

        let template = try #require(StatusTemplate(argument: "[{artist} - ]{title}"))

        #expect(template.text(status) == "")
    }

    @Test func `for Waybar is escaped as markup, and hidden without an item`() {
        var empty = Status.paused
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

    @Test(arguments: [
        ("userPaused", 3, "paused"), ("appBackgrounded", 3, "silent in the background"),
        ("noItemToPlay", 3, "end of the queue"), ("noItemToPlay", 0, "the queue is empty"),
        ("newReason", 3, "newReason"),
    ])
    func `gives reasons in words`(reason: String, count: Int, words: String) {
        #expect(ReasonText.words(reason, count: count) == words)
    }

    @Test func `without any items says that the queue is empty`() {
        var status = Status.paused
        status.count = 0

        #expect(ReasonText.words(status) == "the queue is empty")
    }
}
