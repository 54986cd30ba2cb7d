import TestSupport
import Testing
import UndersongPlayback

@testable import UndersongLibrary

/// The tags of a track from the fields of a file's tags.
@Suite struct `The fields of tags` {
    @Test func `ID3v2 frames give all that a library keeps`() {
        var fields = TagFields()
        for (name, values) in [
            ("TIT2", ["Army of Me"]), ("TSOT", ["Army"]), ("TPE1", ["Björk", "Guest"]),
            ("TSOP", ["Bjork"]), ("TPE2", ["Björk"]), ("TSO2", ["Bjork"]), ("TALB", ["Post"]),
            ("TSOA", ["Post, The"]), ("TPOS", ["1/2"]), ("TRCK", ["03/11"]), ("TCOM", ["Massey"]),
            ("TDRC", ["1995-06-13"]), ("TDOR", ["1994"]), ("TCON", ["17"]), ("TCMP", ["1"]),
            ("APIC", []), ("TPUB", ["One Little Indian"]),
        ] { fields.addFrame(name, values) }
        fields.addFrame("UFID", detail: "http://musicbrainz.org", ["abc"])
        fields.addFrame("UFID", detail: "elsewhere", ["no"])
        fields.addFrame("TXXX", detail: "MusicBrainz Album Id", ["def"])
        fields.addFrame("TXXX", detail: "replaygain_track_gain", ["-6.2 dB"])
        fields.addFrame("COMM", detail: "", ["Nice"])
        fields.addFrame("COMM", detail: "iTunNORM", ["0000"])

        let tags = fields.tags

        #expect((tags.title, tags.titleSort) == ("Army of Me", "Army"))
        #expect((tags.artists, tags.artistSort) == (["Björk", "Guest"], "Bjork"))
        #expect((tags.albumArtists, tags.albumArtistSort) == (["Björk"], "Bjork"))
        #expect((tags.album, tags.albumSort) == ("Post", "Post, The"))
        #expect((tags.disc, tags.number) == (1, 3))
        #expect((tags.date, tags.originalDate) == ("1995-06-13", "1994"))
        #expect((tags.genres, tags.composers) == (["Rock"], ["Massey"]))
        #expect(tags.isCompilation && tags.hasCover)
        #expect(tags.gain == ReplayGain(trackGain: -6.2))
        #expect(
            tags.others == [
                "Label": ["One Little Indian"], "MUSICBRAINZ_TRACKID": ["abc"],
                "MUSICBRAINZ_ALBUMID": ["def"], "Comment": ["Nice"],
            ])
    }

    @Test(.rule("LB36")) func `Vorbis comments that come again are several texts`() {
        var fields = TagFields()
        for (name, value) in [
            ("artist", "A"), ("ARTIST", "B"), ("ARTIST", "A"), ("Album Artist", "Both"),
            ("TITLE", " \u{0}Song\n"), ("TRACKNUMBER", "A1"), ("DISC", "0"), ("YEAR", "ca. 1970"),
            ("COMPILATION", "0"), ("METADATA_BLOCK_PICTURE", "AAAA"), ("CUESHEET", "FILE x"),
            ("MUSICBRAINZ_RELEASEGROUPID", "g"), ("GENRE", "17"),
        ] { fields.addComment(name, value) }

        let tags = fields.tags

        #expect((tags.artists, tags.albumArtists) == (["A", "B"], ["Both"]))
        #expect((tags.title, tags.date) == ("Song", "1970"))
        #expect((tags.number, tags.disc) == (nil, nil))
        #expect(!tags.isCompilation && tags.hasCover)
        #expect(fields.cueSheet == "FILE x")
        #expect(tags.others == ["MUSICBRAINZ_RELEASEGROUPID": ["g"]])
        // Only ID3 has numbers for genres.
        #expect(tags.genres == ["17"])
    }

    @Test(arguments: [
        ("Rock", ["Rock"]), ("17", ["Rock"]), ("(17)", ["Rock"]), ("(17)(6)", ["Rock", "Grunge"]),
        ("(4)Eurodisco", ["Eurodisco"]), ("(RX)(CR)", ["Remix", "Cover"]), ("CR", ["Cover"]),
        ("((Foo)", ["(Foo)"]), ("(foo)", ["(foo)"]), ("(255)", ["(255)"]), ("191", ["Psybient"]),
        ("192", ["192"]), ("", []), ("Rock/Pop", ["Rock/Pop"]),
    ])
    func `Genres of ID3 are names, numbers or both`(text: String, genres: [String]) {
        #expect(TagFields.genres(text) == genres)
    }

    @Test(
        arguments: [
            ("1995", "1995"), ("1995-06", "1995-06"), ("1995-06-13", "1995-06-13"),
            ("1995-06-13T10:20:30", "1995-06-13"), ("1995-06-13 10:20", "1995-06-13"),
            ("19950613", "1995-06-13"), ("1995/6/3", "1995-06-03"), ("1995-00-00", "1995"),
            ("1995-13-01", "1995"), ("1995-12-32", "1995-12"), ("13.06.1995", "1995"),
            ("© 1995 Label", "1995"), ("0000", nil), ("95", nil), ("", nil), ("12345", nil),
        ] as [(String, String?)])
    func `Dates are as exact as they are known`(text: String, date: String?) {
        #expect(TagFields.date(text) == date)
    }

    @Test func `Day and month of ID3v2_3 complete its year`() {
        var fields = TagFields()
        fields.addFrame("TYER", ["1995"])
        fields.addFrame("TDAT", ["1306"])
        #expect(fields.tags.date == "1995-06-13")

        var wrong = TagFields()
        wrong.addFrame("TYER", ["1995"])
        wrong.addFrame("TDAT", ["4513"])
        #expect(wrong.tags.date == "1995")
    }

    @Test(.rule("LB36")) func `ID3v1 fills what ID3v2 does not say`() {
        var tag = [UInt8](repeating: 0, count: 128)
        func write(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { tag[offset + index] = byte }
        }
        write("TAG", at: 0)
        write("Cut-off titl", at: 3)
        write("Old", at: 33)
        write("1980", at: 93)
        (tag[126], tag[127]) = (7, 8)
        var (fields, old) = (TagFields(), TagFields())
        fields.addFrame("TIT2", ["Cut-off title"])
        old.addID3v1(tag)
        fields.complete(with: old)

        let tags = fields.tags

        #expect((tags.title, tags.artists) == ("Cut-off title", ["Old"]))
        #expect((tags.date, tags.number, tags.genres) == ("1980", 7, ["Jazz"]))
    }

    @Test func `Compilations are known by the flag, the album artist or MusicBrainz`() {
        func isCompilation(_ name: String, _ value: String) -> Bool {
            var fields = TagFields()
            fields.addComment(name, value)
            return fields.tags.isCompilation
        }
        #expect(isCompilation("COMPILATION", "1"))
        #expect(isCompilation("TCMP", "1"))
        #expect(isCompilation("ALBUMARTIST", "various artists"))
        #expect(
            isCompilation("MUSICBRAINZ_ALBUMARTISTID", "89ad4ac3-39f7-470e-963a-56509c546377"))
        #expect(!isCompilation("ARTIST", "Various Artists"))
    }

    @Test(.rule("LB36")) func `Endless texts and fields are cut`() {
        var fields = TagFields()
        for number in 0..<1000 { fields.addComment("ARTIST", "\(number)") }
        fields.addComment("TITLE", String(repeating: "é", count: 1_000_000))

        #expect(fields.tags.artists.count == 64)
        #expect(fields.tags.title == String(repeating: "é", count: 4096))
    }

    @Test func `Musicians of ID3v2_4 are performers with their instruments`() {
        var fields = TagFields()
        fields.addFrame("TMCL", ["piano", "Ann", "", "Bob", "drums"])
        #expect(fields.tags.others == ["Performer": ["Ann (piano)", "Bob"]])
    }

    @Test func `There is a name for each genre of ID3v1`() {
        #expect(ID3Genre.names.count == 192)
        #expect((ID3Genre.names[0], ID3Genre.names[79]) == ("Blues", "Hard Rock"))
        #expect((ID3Genre.names[133], ID3Genre.names[147]) == ("Afro-Punk", "Synthpop"))
    }
}
