import ArgumentParser
import Glibc
import Testing
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// Parses arguments of the command line.
@Suite struct `An argument` {
    @Test(arguments: [
        ("90", SeekTarget.to(WireTime(value: 90, timescale: 1))),
        ("1:30", .to(WireTime(value: 90, timescale: 1))),
        ("1:02:03.5", .to(WireTime(value: 3_723_500_000, timescale: 1_000_000))),
        ("0", .to(WireTime(value: 0, timescale: 1))),
        ("+10", .by(WireTime(value: 10, timescale: 1))),
        ("-10", .by(WireTime(value: -10, timescale: 1))),
        ("-1:30", .by(WireTime(value: -90, timescale: 1))),
        ("-.5", .by(WireTime(value: -500_000, timescale: 1_000_000))),
        ("50%", .part(0.5)), ("0%", .part(0)), ("100%", .part(1)), ("12.5%", .part(0.125)),
    ])
    func `An argument for seek is a time, a part of the length, or a distance with a sign`(
        text: String, target: SeekTarget
    ) {
        #expect(SeekTarget(argument: text) == target)
    }

    @Test(arguments: [
        "", "+", "-", "--5", "+-5", "x", "1:75", "1:2:3:4", "nan", "inf", "-inf",
        "%", "101%", "+5%", "-5%", "nan%",
    ])
    func `An argument for seek is refused if it is anything else`(text: String) {
        #expect(SeekTarget(argument: text) == nil)
    }

    @Test(
        arguments: [
            ("80", "volume", .number(80)), ("0", "volume", .number(0)),
            ("12.5", "volume", .number(12.5)), ("80%", "volume", .number(80)),
            ("+5", "volumeBy", .number(5)), ("-5", "volumeBy", .number(-5)),
            ("+5%", "volumeBy", .number(5)), ("mute", "muted", .flag(true)),
            ("unmute", "muted", .flag(false)), ("toggle-mute", "toggleMuted", .flag(true)),
        ] as [(String, String, SettingValue)])
    func `An argument for volume is a value, a change, or a word`(
        text: String, name: String, value: SettingValue
    ) throws {
        let target = try #require(try volumeTarget(text))

        #expect(target.name == name && target.value == value)
    }

    @Test(arguments: ["", "101", "+200", "loud", "nan", "%"])
    func `An argument for volume is refused if it is anything else`(text: String) throws {
        #expect(try volumeTarget(text) == nil)
    }

    private func volumeTarget(_ text: String) throws -> SettingTarget? {
        SettingTarget(text, of: Volume.texts.row, try #require(Volume.texts.verb))
    }

    @Test func `An argument for a setting that is a name can be any text`() throws {
        let row = try #require(SettingTable.rows.first { $0.name == "outputDevice" })
        let verb = try #require(Volume.texts.verb)

        let target = try #require(SettingTarget("5", of: row, verb))

        #expect(target.name == "outputDevice" && target.value == .text("5"))
    }

    @Test(arguments: [
        ("30m", 1800.0), ("1h30m", 5400), ("90s", 90), ("45", 2700), ("0.5", 30), ("1h", 3600),
        ("1h30m15s", 5415), ("1h5s", 3605), ("1.5h", 5400), ("168h", 604_800),
    ])
    func `An argument for sleep is a duration, in minutes by default`(text: String, seconds: Double)
    {
        #expect(SleepTarget(argument: text) == SleepTime(argument: text).map { .time($0) })
        #expect(SleepTime(argument: text) == .duration(seconds))
    }

    @Test(arguments: [("22:30", 22, 30), ("7:05", 7, 5), ("0:00", 0, 0), ("07:59", 7, 59)])
    func `An argument for sleep is a time of the day, the next one`(
        text: String, hour: Int32, minute: Int32
    ) throws {
        let time = try #require(SleepTime(argument: text))
        // Every 5 hours and some seconds of a year, and the very moments that were found.
        for hours in stride(from: 0.0, to: 8760, by: 5) {
            let now = 1_700_000_000.25 + hours * 3607
            let due = now + time.seconds(at: now)
            let next = due + time.seconds(at: due)
            for (wait, due) in [(due - now, due), (next - due, next)] {
                var (moment, parts) = (time_t(due.rounded()), tm())
                localtime_r(&moment, &parts)
                #expect(wait > 0 && wait <= 25 * 3600)
                // A time that a change of the clocks skips is the one after the gap.
                let isSkipped = parts.tm_hour == hour + 1
                #expect((isSkipped || parts.tm_hour == hour) && parts.tm_min == minute)
                #expect(parts.tm_sec == 0)
            }
        }
    }

    @Test(arguments: [
        "", "0", "-5", "m", "30x", "30m1h", "1h1h", "nan", "inf", "1h30", "h30m", "169h", "on",
        "1e3s", "24:00", "22:60", "22:3", ":30", "22:30:00", "+2:30",
    ])
    func `An argument for sleep is refused if it is anything else, except off`(text: String) {
        #expect(SleepTarget(argument: text) == nil)
        #expect(SleepTarget(argument: "off") == .off)
    }

    @Test(arguments: [
        ([], nil), (["off"], SetSleep()), (["30m"], SetSleep(seconds: 1800)),
        (["90s", "--fade", "0"], SetSleep(seconds: 90, fade: 0)),
        (["--after", "item"], SetSleep(seconds: nil, after: .item)),
        (["1h", "--after", "queue"], SetSleep(seconds: 3600, after: .queue)),
    ])
    func `An argument for sleep becomes a request to the service`(
        arguments: [String], call: SetSleep?
    ) throws {
        #expect(try SleepVerb.parse(arguments).call() == call)
    }

    @Test(
        arguments: [
            (["/a"], nil), (["--sleep", "30m", "/a"], SetSleep(seconds: 1800)),
            (["--sleep", "30m", "--fade", "5", "/a"], SetSleep(seconds: 1800, fade: 5)),
            (["--stop-after", "item", "/a"], SetSleep(seconds: nil, after: .item)),
        ] as [([String], SetSleep?)])
    func `An argument for play can set the sleep timer`(arguments: [String], call: SetSleep?) throws
    {
        #expect(try PlayVerb.parse(arguments).run.request.sleep == call)
    }

    @Test func `An argument for play can concern devices and other sounds`() throws {
        let arguments = ["--on-unplug", "follow", "--mixing", "duck", "--inhibit", "sleep", "/a"]

        let settings = try PlayVerb.parse(arguments).run.request.settings

        #expect(settings?.onUnplug == .follow)
        #expect(settings?.mixing == .duck)
        #expect(settings?.inhibit == .sleep)
        #expect(throws: (any Error).self) { try PlayVerb.parse(["--on-unplug", "stop", "/a"]) }
    }

    @Test func `An argument for play can concern long items, and by default does not`() throws {
        let run = try PlayVerb.parse(["--resume-items", "--skip-back", "15", "/a"]).run
        let other = try PlayVerb.parse(["--no-resume-items", "/a"]).run

        #expect(run.request.settings?.resumeItems == true && run.request.settings?.skipBack == 15)
        #expect(
            other.request.settings?.resumeItems == false && other.request.settings?.skipBack == nil)
        #expect(try PlayVerb.parse(["/a"]).run.request.settings == SettingsChange())
        #expect(throws: (any Error).self) { try PlayVerb.parse(["--skip-back", "601", "/a"]) }
    }

    @Test(
        arguments: [
            ("3", .number(3)), ("+1", .distance(1)), ("-2", .distance(-2)),
            ("current", .distance(0)), ("next", .distance(1)), ("previous", .distance(-1)),
            ("first", .number(1)), ("last", .last),
        ] as [(String, Place)])
    func `An argument for a place is a number, a distance or a word`(text: String, place: Place) {
        #expect(Place(argument: text) == place)
        #expect(PlaceRange(argument: text) == PlaceRange(place, place))
    }

    @Test(
        arguments: [
            ("3-5", .number(3), .number(5)), ("1-1", .number(1), .number(1)),
            ("3-last", .number(3), .last), ("current-last", .distance(0), .last),
            ("-2-+3", .distance(-2), .distance(3)), ("-3--1", .distance(-3), .distance(-1)),
            ("first--1", .number(1), .distance(-1)),
        ] as [(String, Place, Place)])
    func `An argument for places can be a range`(text: String, first: Place, last: Place) {
        #expect(PlaceRange(argument: text) == PlaceRange(first, last))
    }

    @Test(arguments: ["", "0", "5-3", "0-2", "1-2-3", "a", "1-", "+", "-", "--1", "last-x", "१"])
    func `An argument for places is refused if it is anything else`(text: String) {
        #expect(PlaceRange(argument: text) == nil)
    }

    @Test(
        arguments: [
            (["item"], .item), (["chapter"], .chapter), (["off"], nil),
        ] as [([String], StopCondition?)])
    func `An argument for stop-after is a stop condition`(
        arguments: [String], condition: StopCondition?
    ) throws {
        let after = try #require(try StopAfterVerb.parse(arguments).after)
        #expect(after.condition == condition)
    }

    @Test(
        arguments: [
            ("a.mp3\nb c.mp3\r\n\n-\n", ["a.mp3", "b c.mp3", "./-"]),
            ("a\nb.mp3\0c.mp3\r\0", ["a\nb.mp3", "c.mp3\r"]), ("last.mp3", ["last.mp3"]),
            ("", []), ("\n\n", []),
        ] as [(String, [FilePath])])
    func `A list of files is split into lines, or at zero bytes`(
        text: String, names: [FilePath]
    ) {
        #expect(FileListOptions.names(in: Array(text.utf8)) == names)
    }

    @Test func `A list of files is sent in pieces that a message can hold`() {
        let name = String(repeating: "x", count: 1000)
        let files = Files(
            (0..<600).map { "/\($0)\(name)" }, start: WireTime(value: 1, timescale: 1))

        let pieces = files.pieces

        #expect(pieces.count == 3)
        #expect(pieces.flatMap(\.paths) == files.paths)
        #expect(pieces.allSatisfy { $0.start == files.start && !$0.paths.isEmpty })
        #expect(Files(["/a"]).pieces == [Files(["/a"])])
        #expect(Files([String]()).pieces == [Files([String]())])
    }

    @Test(arguments: [
        (["seek", "-10", "--json"], ["seek", "--json", "--", "-10"]),
        (["volume", "--session", "a", "-5"], ["volume", "--session", "a", "--", "-5"]),
        (["queue", "move", "+1", "-1", "--json"], ["queue", "move", "--json", "--", "+1", "-1"]),
        (["replay-gain-preamp", "-3"], ["replay-gain-preamp", "--", "-3"]),
        (["rate", "-0.1"], ["rate", "--", "-0.1"]),
        (["seek", "--", "-10"], ["seek", "--", "-10"]),
        (["seek", "-h"], ["seek", "-h"]),
        (["play", "-1"], ["play", "-1"]),
        ([], []),
    ])
    func `An argument of a minus and a digit is a value of a verb that needs one`(
        given: [String], expected: [String]
    ) {
        #expect(Arguments.ordered(given) == expected)
    }

    @Test(arguments: [
        ("song.mp3", "/home/a/song.mp3"), ("./song.mp3", "/home/a/song.mp3"),
        (".//song.mp3", "/home/a/song.mp3"), ("../b/song.mp3", "/home/a/../b/song.mp3"),
        ("/music/song.mp3", "/music/song.mp3"), ("-", "-"), (".", "/home/a"), ("./", "/home/a"),
        ("./-", "/home/a/-"), (".hidden.mp3", "/home/a/.hidden.mp3"),
    ])
    func `An argument for a file becomes an absolute path`(given: String, path: String) throws {
        #expect(try FilePath(given).located(in: "/home/a") == FilePath(path))
    }

    @Test func `An argument for a file in the root folder gets one slash`() throws {
        #expect(try FilePath("a.mp3").located(in: "/") == "/a.mp3")
    }

    @Test(arguments: [
        ("file:///music/a%20b.mp3", "/music/a b.mp3"), ("FILE:/music/a.mp3", "/music/a.mp3"),
        ("file://localhost/music/%C3%A4.mp3", "/music/ä.mp3"),
        ("a file:///b.mp3", "/home/a/a file:///b.mp3"),
    ])
    func `An argument that is a file URL becomes its path`(given: String, path: String) throws {
        #expect(try FilePath(given).located(in: "/home/a") == FilePath(path))
    }

    @Test(arguments: [
        ("http://example.com/a.mp3", "http://example.com/a.mp3"),
        ("HTTPS://x:8000/a%20b?c=d e", "HTTPS://x:8000/a%20b?c=d%20e"),
    ])
    func `A URL of HTTP has its spaces escaped, unless a file has that name`(
        url: String, escaped: String
    ) throws {
        #expect(try FilePath(url).located(in: "/home/a") == FilePath(escaped))
        #expect(throws: LocationError.self) { try FilePath(url).local(in: "/home/a") }
    }

    @Test(arguments: [
        ("ftp://example.com/a.mp3", "Only files, and URLs of HTTP and HTTPS, can be played"),
        ("rtsp://x/stream", "Only files, and URLs of HTTP and HTTPS, can be played"),
        ("http:///a.mp3", "Only files, and URLs of HTTP and HTTPS, can be played"),
        ("file://host", "There is no path in it"), ("", "The name is empty"),
    ])
    func `A URL of another kind is refused with the reason`(
        given: String, reason: String
    ) {
        let error = #expect(throws: LocationError.self) {
            try FilePath(given).located(in: "/home/a")
        }

        let failure = error.flatMap { Failure($0) }
        let name = given.isEmpty ? "''" : given
        #expect(failure?.message.hasPrefix("cannot play \(name): \(reason)") == true)
        #expect(failure?.status == 64)
    }

    @Test(
        arguments: [
            [0x6C, 0xE9, 0x2E], [0xE4], Array("é".utf8), [0xF4, 0x8F, 0x82, 0xA9],
            [0xC3, 0x28, 0xFF, 0xFE], Array("🎉a".utf8) + [0xF0, 0x9F, 0x8E],
        ] as [[UInt8]])
    func `An argument preserves bytes that are not UTF-8`(bytes: [UInt8]) {
        let text = ProcessArguments.text(of: bytes)

        #expect(ProcessArguments.bytes(of: text) == bytes)
        #expect(FilePath(argument: text).bytes == bytes)
    }

    @Test func `An argument is unchanged if it is UTF-8`() {
        #expect(ProcessArguments.text(of: Array("é 🎉".utf8)) == "é 🎉")
    }

    @Test(arguments: [
        ("pley", "play"), ("paly", "play"), ("stat", "status"), ("nxt", "next"),
        ("volum", "volume"), ("pasue", "pause"), ("PLAY", "play"),
    ])
    func `A mistyped verb is answered with the most similar one`(given: String, meant: String) {
        #expect(
            Undersong.unknownVerb(in: [given])?.hasSuffix("did you mean '\(meant)'?") == true)
    }

    @Test(arguments: [
        ("skip", "next"), ("add", "queue add"), ("search", "queue search"),
        ("clear", "queue clear"), ("current", "status"), ("list", "queue list"),
        ("prev", "previous"), ("crop", "queue crop"), ("playlist", "queue list"),
        ("del", "queue remove"), ("random", "shuffle"), ("idle", "events"),
        ("find", "library tracks"), ("update", "library update"), ("albums", "library albums"),
        ("love", "favourite on"), ("sticker", "rating"),
    ])
    func `A verb of mpc is answered with what it is called here`(
        given: String, meant: String
    ) throws {
        let text = try #require(Undersong.unknownVerb(in: [given, "x"]))

        #expect(text.hasSuffix("did you mean '\(meant)'?"))
        #expect(Undersong.unknownVerb(in: meant.split(separator: " ").map(String.init)) == nil)
    }

    @Test func `A word like no verb is answered with where they are listed`() {
        #expect(
            Undersong.unknownVerb(in: ["xyzzy"])
                == "cannot run xyzzy: There is no such verb or file; "
                + "'undersong --help' lists the verbs")
    }

    @Test(arguments: [
        (["queue", "rm", "3"], "queue rm", "queue remove"),
        (["queue", "serach", "x"], "queue serach", "queue search"),
        (["queue", "ls"], "queue ls", "queue list"),
        (["queue", "pause"], "queue pause", "pause"),
        (["output", "sett", "x"], "output sett", "output set"),
        (["task", "rn", "--", "true"], "task rn", "task run"),
        (["demo", "fetc"], "demo fetc", "demo fetch"),
        (["help", "pley"], "pley", "play"),
        (["help", "queue", "rm"], "queue rm", "queue remove"),
    ])
    func `A word that is not a subcommand is answered with the most similar one`(
        given: [String], call: String, meant: String
    ) {
        let thing = call.contains(" ") ? "verb" : "verb or file"
        #expect(
            Undersong.unknownVerb(in: given)
                == "cannot run \(call): There is no such \(thing); did you mean '\(meant)'?")
    }

    @Test(arguments: [
        ["queue", "xyzzy", "--help"], ["queue", "xyzzy"], ["help", "queue", "xyzzy"],
    ])
    func `A word like no subcommand is answered with where those are listed`(given: [String]) {
        #expect(
            Undersong.unknownVerb(in: given)
                == "cannot run queue xyzzy: There is no such verb; "
                + "'undersong queue --help' lists the verbs")
    }

    @Test(arguments: [
        [], ["help"], ["--help"], ["queue"], ["queue", "--json"], ["queue", "remove", "current"],
        ["help", "queue", "remove"], ["play", "queue"], ["output", "set", "nosuch"],
        ["-x", "pley"],
    ])
    func `An argument that may be valid is left to the parser`(given: [String]) {
        #expect(Undersong.unknownVerb(in: given) == nil)
    }

    @Test(arguments: [
        (["help", "render"], ["render", "--help"]), (["help", "serve"], ["serve", "--help"]),
        (["help", "verify"], ["verify", "--help"]), (["help", "play"], ["help", "play"]),
        (["help"], ["help"]), (["render", "a"], ["render", "a"]),
    ])
    func `Arguments that ask for help on a verb of undersongd get undersongd's help`(
        given: [String], asked: [String]
    ) {
        #expect(Undersong.helpOfService(given) == asked)
    }

    @Test(arguments: [[], ["play"], ["queue"], ["nosuch"], ["--json"], ["-"], ["help"], ["volume"]])
    func `A verb, an option or an empty call names no media`(
        arguments: [String]
    ) {
        #expect(!Undersong.namesMedia(arguments))
    }

    @Test(arguments: [["/etc/passwd"], ["/", "--json"], ["https://example.org/a"]])
    func `An argument that exists as a file or is a URL names media`(arguments: [String]) {
        #expect(Undersong.namesMedia(arguments))
    }

    @Test func `An argument for play can name a default file`() throws {
        let option = ["--default-file", "/demo.m3u"]
        for arguments in [[], ["--json"], ["--no-time"], ["--volume", "50"], ["--json", "--"]] {
            let run = try PlayVerb.parse(option + arguments).run
            let same = try PlayVerb.parse(arguments.filter { $0 != "--" } + ["/demo.m3u"]).run

            #expect(run == same)
        }
        for arguments in [["/a"], ["--volume", "50", "/a"], ["--", "/a"]] {
            #expect(try PlayVerb.parse(option + arguments).run == PlayVerb.parse(arguments).run)
        }
    }
}
