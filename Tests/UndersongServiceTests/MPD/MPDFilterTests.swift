import Testing
import UndersongBase
import UndersongLibrary

@testable import UndersongService

@Suite struct `A filter of MPD's protocol` {
    private let song = MPDSong.made("Björk/Post/01 Army.flac", modified: 1_000_000) {
        $0.title = "Army of Me"
        $0.artists = ["Björk", "Graham Massey"]
        $0.album = "Post"
        $0.number = 1
        $0.date = "1995-06-13"
        $0.genres = ["Electronic"]
    }

    @Test(arguments: [
        ("(artist == 'Björk')", true), ("(ARTIST == \"Graham Massey\")", true),
        ("(artist == 'björk')", false), ("(artist == 'Bj')", false),
        ("(artist != 'Björk')", false), ("(artist != 'Other')", true),
        ("(title contains 'my of')", true), ("(title contains 'My of')", false),
        ("(title !contains 'my of')", false), ("(!(title == 'Army of Me'))", false),
        ("((artist == 'Björk') AND (album == 'Post'))", true),
        ("((artist == 'Björk') AND (album == 'Debut') AND (track == '1'))", false),
        ("((artist == 'Björk'))", true), ("( (artist=='Björk') AND (track=='1') )", true),
        ("(any == 'Electronic')", true), ("(any contains 'ectro')", true), ("(any == 'x')", false),
        ("(file == 'Björk/Post/01 Army.flac')", true), ("(file contains 'Army')", true),
        ("(base 'Björk')", true), ("(base 'Björk/Post')", true), ("(base 'Björk/Po')", false),
        ("(base \"\")", true), ("(modified-since '1000000')", true),
        ("(modified-since '1970-01-12T13:46:40Z')", true), ("(modified-since '1000001')", false),
        ("(AudioFormat == '44100:16:2')", true), ("(AudioFormat =~ '44100:*:*')", true),
        ("(AudioFormat =~ '48000:*:*')", false), ("(composer == '')", true),
        ("(artist == '')", false), ("(albumartist == 'Björk')", true),
        ("(AlbumArtistSort == 'Björk')", true), ("(albumsort != 'Post')", false),
        ("(title =~ '^Army.*Me$')", true), ("(title !~ 'army')", true),
        ("(title == 'Army\\ of Me')", true),
    ])
    func `An expression is compared exactly with a song`(text: String, isMatch: Bool) throws {
        let filter = try MPDFilter([text], ignoresCase: false)

        #expect(filter.matches(song) == isMatch)
    }

    @Test(arguments: [
        ("(artist == 'BJÖRK')", true), ("(artist == 'bjork')", false),
        ("(title contains 'ARMY')", true), ("(title =~ 'ARMY OF')", true),
        ("(file contains 'POST')", true), ("(title != 'army of me')", false),
    ])
    func `A search ignores case, but not diacritics`(text: String, isMatch: Bool) throws {
        let filter = try MPDFilter([text], ignoresCase: true)

        #expect(filter.matches(song) == isMatch)
    }

    @Test func `Pairs of a tag and a text are all to match, in a search as parts`() throws {
        #expect(
            try MPDFilter(["artist", "Björk", "album", "Post"], ignoresCase: false).matches(song))
        #expect(
            try !MPDFilter(["artist", "Björk", "album", "Pos"], ignoresCase: false).matches(song))
        #expect(try MPDFilter(["album", "pOS", "(track == '1')"], ignoresCase: true).matches(song))
        #expect(try MPDFilter(["filename", "01 army"], ignoresCase: true).matches(song))
        #expect(try MPDFilter(["base", "Björk", "any", "massey"], ignoresCase: true).matches(song))
    }

    @Test(arguments: [
        ([], "Incorrect number of filter arguments"),
        (["artist"], "Incorrect number of filter arguments"),
        (["nothing", "x"], "Unknown filter type"), (["base", "../x"], "Bad URI"),
        (["(nothing == 'x')"], "Unknown filter type: nothing"), (["("], "Word expected"),
        (["(artist = 'x')"], "'==' or '!=' expected"),
        (["(artist == x)"], "Quoted string expected"),
        (["(artist == 'x)"], "Closing quote not found"), (["(artist == 'x'"], "')' expected"),
        (["(artist == 'x') y"], "Unparsed garbage after expression"),
        (["((artist == 'x') OR (artist == 'y'))"], "'AND' expected"),
        (["(AudioFormat == 'x')"], "Failed to parse the sample rate"),
        (["(AudioFormat =~ '*:x:2')"], "Failed to parse the sample format"),
        (["(AudioFormat == '44100:16:0')"], "Failed to parse the channel count"),
        (["(AudioFormat == '44100')"], "Failed to parse the sample format"),
        (["(!artist == 'x')"], "'(' expected"),
        (["(AudioFormat != '1:1:1')"], "'==' or '=~' expected"),
        (["(artist == '" + String(repeating: "x", count: 4096) + "')"], "Quoted value is too long"),
        ([String(repeating: "(", count: 100_000)], "Too many nested expressions"),
        (["(artist =~ '(x')"], "Bad regular expression: a parenthesis is not closed"),
    ])
    func `What cannot be understood is refused with MPD's reason`(
        arguments: [String], reason: String
    ) {
        #expect(throws: MPDError(.argument, reason)) {
            try MPDFilter(arguments, ignoresCase: false)
        }
    }

    @Test(arguments: [
        "(artist == 'Björk')", "(albumartist == 'Björk')", "(file == 'Björk/Post/01 Army.flac')",
        "((album == 'Post') AND (genre == 'Electronic'))", "(date == '1995-06-13')",
        "(artist != 'x')", "(composer == '')", "(any == 'Post')", "(title =~ 'Me')",
        "((artist contains 'jör') AND (!(album == 'x')))", "(AudioFormat == '44100:16:2')",
    ])
    func `The library's query finds what a filter matches`(text: String) throws {
        let track = Track(
            id: 1, path: "/m/Björk/Post/01 Army.flac", tags: song.tags, sound: song.sound, added: 0,
            modified: 1_000_000)
        let filter = try MPDFilter([text], ignoresCase: false)

        #expect(filter.matches(song))
        #expect(filter.libraryQuery.matches(track, now: 0))
    }

    @Test func `The library's query leaves out what a filter does not match`() throws {
        let other = Track(id: 1, path: "/m/x.flac", tags: TrackTags(), added: 0, modified: 0)

        for text in [
            "(artist == 'Björk')", "(albumartist contains 'x')", "(file == 'Björk/y.flac')",
        ] {
            let filter = try MPDFilter([text], ignoresCase: false)
            #expect(!filter.libraryQuery.matches(other, now: 0))
        }
    }
}
