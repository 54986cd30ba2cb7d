import ArgumentParser
import CommandOptions
import Control
import Testing

@testable import UndersongCLI

/// What is written on the command line.
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
    ])
    func `for seek is a time, or a distance with a sign`(text: String, target: SeekTarget) {
        #expect(SeekTarget(argument: text) == target)
    }

    @Test(arguments: ["", "+", "-", "--5", "+-5", "x", "1:75", "1:2:3:4", "nan", "inf", "-inf"])
    func `for seek is nothing else`(text: String) {
        #expect(SeekTarget(argument: text) == nil)
    }

    @Test(arguments: [
        ("80", VolumeTarget.to(80)), ("0", .to(0)), ("12.5", .to(12.5)), ("80%", .to(80)),
        ("+5", .by(5)), ("-5", .by(-5)), ("+5%", .by(5)), ("mute", .muted(true)),
        ("unmute", .muted(false)),
    ])
    func `for volume is a loudness, a change, or a word`(text: String, target: VolumeTarget) {
        #expect(VolumeTarget(argument: text) == target)
    }

    @Test(arguments: ["", "101", "+200", "loud", "nan", "%"])
    func `for volume is nothing else`(text: String) {
        #expect(VolumeTarget(argument: text) == nil)
    }

    @Test(arguments: [("3", 3...3), ("3-5", 3...5), ("1-1", 1...1)])
    func `for places is one, or a range`(text: String, places: ClosedRange<Int>) {
        #expect(PlaceRange(argument: text)?.places == places)
    }

    @Test(arguments: ["", "0", "-1", "5-3", "0-2", "1-2-3", "a", "1-"])
    func `for places is nothing else`(text: String) {
        #expect(PlaceRange(argument: text) == nil)
    }

    @Test(arguments: [
        (["seek", "-10", "--json"], ["seek", "--json", "--", "-10"]),
        (["volume", "--session", "a", "-5"], ["volume", "--session", "a", "--", "-5"]),
        (["seek", "--", "-10"], ["seek", "--", "-10"]),
        (["seek", "-h"], ["seek", "-h"]),
        (["play", "-1"], ["play", "-1"]),
        ([], []),
    ])
    func `that begins with a minus and a digit is a value of seek and volume`(
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
    func `for a file is made a path from the root on`(given: String, path: String) {
        #expect(FilePath.absolute(given, in: "/home/a") == path)
    }

    @Test func `for a file in the root folder gets one slash`() {
        #expect(FilePath.absolute("a.mp3", in: "/") == "/a.mp3")
    }

    @Test(arguments: [
        ("pley", "play"), ("paly", "play"), ("stat", "status"), ("nxt", "next"),
        ("volum", "volume"), ("pasue", "pause"), ("PLAY", "play"),
    ])
    func `that is mistyped is told which verb it resembles`(given: String, meant: String) {
        #expect(Undersong.unknown(given).hasSuffix("did you mean '\(meant)'?"))
    }

    @Test func `that resembles no verb is told where they are`() {
        #expect(
            Undersong.unknown("xyzzy")
                == "cannot xyzzy: There is no such verb; undersong --help tells all")
    }
}
