import Testing
import UndersongBase
import UndersongLibrary
import UndersongPlayback

@testable import UndersongService

@Suite struct `A song of MPD's protocol` {
    private let song = MPDSong.made("a/b.flac", seconds: 215.4966, modified: 951_782_400.9) {
        ($0.title, $0.artists, $0.album) = ("One", ["X", "Y"], "Z")
        ($0.number, $0.disc, $0.date) = (3, 1, "1995-06-13")
        $0.others = ["Performer": ["P (piano)"], "Comment": ["c"], "MUSICBRAINZ_TRACKID": ["id"]]
    }

    private func text(_ song: MPDSong, _ tags: Set<MPDTag> = Set(MPDTag.listed)) -> [String] {
        song.lines(tags).map { "\($0.name): \($0.value)" }
    }

    @Test func `A song's lines are those of MPD, without the comment`() {
        #expect(
            text(song) == [
                "file: a/b.flac", "Last-Modified: 2000-02-29T00:00:00Z", "Format: 44100:16:2",
                "Artist: X", "Artist: Y", "Album: Z", "Title: One", "Track: 3", "Date: 1995-06-13",
                "Performer: P (piano)", "Disc: 1", "MUSICBRAINZ_TRACKID: id", "Time: 215",
                "duration: 215.497",
            ])
    }

    @Test func `Tags that a client does not want are left out`() {
        #expect(
            text(song, [.title]) == [
                "file: a/b.flac", "Last-Modified: 2000-02-29T00:00:00Z", "Format: 44100:16:2",
                "Title: One", "Time: 215", "duration: 215.497",
            ])
    }

    @Test func `A part of a file has a range`() {
        var part = MPDSong(uri: "x")
        part.part = TrackPart(start: 1.5, end: 61)
        #expect(text(part) == ["file: x", "Range: 1.500-61.000"])
        part.part = TrackPart(start: 1.5)
        #expect(text(part) == ["file: x", "Range: 1.500-"])
    }

    @Test(arguments: [
        ("FLAC 24 bit", "24"), ("WAV 32 bit float", "f"), ("MPEG 1 Layer III", "f"),
        ("Ogg Vorbis", "f"), ("CAF Apple Lossless 16 bit", "16"),
    ])
    func `The format has the bits of a sample if there is a number`(encoding: String, bits: String)
    {
        let sound = TrackSound(
            seconds: 1, SoundFormat(sampleRate: 48_000, channels: 1, encoding: encoding))

        #expect(sound.mpdFormat == "48000:\(bits):1")
    }

    @Test func `Songs are in the order of folders, albums, discs, numbers and names`() {
        let songs = [
            MPDSong.made("z.mp3"), .made("y.mp3") { $0.number = 1 },
            .made("x.mp3") { $0.disc = 2 },
            .made("w.mp3") { ($0.album, $0.number) = ("A", 2) },
            .made("v.mp3") { ($0.album, $0.number) = ("A", 10) },
            .made("a/a.mp3"), .made("a/b/a.mp3"), .made("B/a.mp3"), .made("c/a.mp3"),
        ]

        let sorted = songs.reversed().sorted { MPDOrderKey($0) < MPDOrderKey($1) }

        #expect(sorted.map(\.uri) == songs.map(\.uri))
    }

    @Test func `Names are sorted as people do`() {
        let names = [
            "_a", "-a", "(a)", "1", "10", "9", "a", "A", "ä", "Ab", "ac", "Z", "ß", "日本",
        ]

        let sorted = names.reversed().sorted { MPDCollationKey($0) < MPDCollationKey($1) }

        #expect(
            sorted == [
                "_a", "-a", "(a)", "1", "10", "9", "a", "A", "ä", "Ab", "ac", "ß", "Z", "日本",
            ])
    }

    @Test func `A sort is by a tag or the last change, and keeps the order of what is equal`()
        throws
    {
        let songs = [
            MPDSong.made("1", modified: 3) { ($0.number, $0.artists) = (10, ["b"]) },
            .made("2", modified: 1) { ($0.number, $0.artists) = (9, ["B"]) },
            .made("3", modified: 2) { ($0.number, $0.albumArtists) = (9, ["a"]) },
        ]
        func order(_ text: String) throws -> [String] {
            let sort = try #require(MPDSort(text))
            return sort.sorted(songs) { $0 }.map(\.uri)
        }

        #expect(try order("track") == ["2", "3", "1"])
        #expect(try order("-Track") == ["1", "2", "3"])
        #expect(try order("ArtistSort") == ["3", "2", "1"])
        #expect(try order("albumartist") == ["2", "3", "1"])
        #expect(try order("Last-Modified") == ["2", "3", "1"])
        #expect(try order("-last-modified") == ["1", "3", "2"])
        #expect(MPDSort("nothing") == nil)
    }

    @Test func `Stickers are the ratings and counts of the library`() throws {
        let track = Track(
            id: 1, path: "/a", added: 0, modified: 0, lastPlayed: 5.5, playCount: 3, rating: 4,
            isFavourite: true)

        #expect(MPDSticker.allCases.map { $0.value(of: track) } == [8, 2, 3, nil, 5])
        #expect(try MPDSticker.rating.change(to: "7") == RateTracks(rating: 4))
        #expect(try MPDSticker.rating.change(to: "0") == RateTracks(rating: 0))
        #expect(try MPDSticker.like.change(to: "1") == RateTracks(isFavourite: false))
        #expect(throws: MPDError(.argument, "a rating is from 0 to 10")) {
            try MPDSticker.rating.change(to: "11")
        }
        #expect(throws: MPDError.self) { try MPDSticker.playCount.change(to: "1") }
    }

    @Test func `A sticker's numbers are compared as numbers`() throws {
        #expect(try MPDSticker.Comparison("<", "10").holds(9))
        #expect(try !MPDSticker.Comparison(">", "10").holds(9))
        #expect(try MPDSticker.Comparison("=", "9").holds(9))
        #expect(throws: MPDError(.argument, "bad operator")) { try MPDSticker.Comparison("~", "1") }
    }
}
