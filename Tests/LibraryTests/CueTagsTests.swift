import TestSupport
import Testing
import UndersongPlayback

@testable import UndersongLibrary

/// The tracks of a file that a CUE sheet divides.
@Suite struct `The tracks of a CUE sheet` {
    private let sheet = CueSheet(
        Array(
            """
            REM GENRE Jazz
            REM DATE 1999
            REM REPLAYGAIN_ALBUM_GAIN -5.00 dB
            PERFORMER "The Band"
            TITLE "The Album"
            FILE "image.flac" WAVE
              TRACK 01 AUDIO
                TITLE "One"
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                TITLE "Two"
                PERFORMER "Guest"
                SONGWRITER "Writer"
                REM REPLAYGAIN_TRACK_GAIN -7.00 dB
                INDEX 00 00:19:00
                INDEX 01 00:20:15
            """.utf8), PlaylistContext(folder: "/music"))

    @Test func `The sheet says what the album and its tracks are`() {
        #expect(sheet.album.title == "The Album")
        #expect(
            (sheet.album.performer, sheet.album.genre, sheet.album.date) == (
                "The Band", "Jazz", "1999"
            ))
        #expect(sheet.tracks.map(\.path) == ["/music/image.flac", "/music/image.flac"])
        #expect(sheet.tracks.map(\.number) == [1, 2])
        #expect(sheet.tracks.map(\.performer) == ["The Band", "Guest"])
        #expect(sheet.tracks[0].end == sheet.tracks[1].start)
    }

    @Test(.rule("LB35")) func `What the sheet does not say, the tags of the file do`() {
        var file = TrackTags()
        (file.title, file.album, file.disc) = ("All of it", "Other", 2)
        (file.artists, file.artistSort, file.hasCover) = (["The Band"], "Band, The", true)
        file.gain = ReplayGain(trackGain: -4, trackPeak: 0.5)
        file.others = ["MUSICBRAINZ_TRACKID": ["x"], "Label": ["L"]]
        let sound = TrackSound(
            seconds: 60, SoundFormat(sampleRate: 44100, channels: 2, encoding: "FLAC 16 bit"))

        let tracks = CueTags.tracks(sheet.tracks, of: sheet, in: file, sound)

        #expect(tracks.map(\.part) == [TrackPart(start: 0, end: 20.2), TrackPart(start: 20.2)])
        #expect(tracks.map { $0.sound?.seconds } == [20.2, 60 - 20.2])
        let (first, second) = (tracks[0].tags, tracks[1].tags)
        #expect((first.title, second.title) == ("One", "Two"))
        #expect((first.artists, first.artistSort) == (["The Band"], "Band, The"))
        #expect((second.artists, second.artistSort) == (["Guest"], nil))
        #expect((second.albumArtists, second.composers) == (["The Band"], ["Writer"]))
        #expect((second.album, second.date, second.genres) == ("The Album", "1999", ["Jazz"]))
        #expect((second.number, second.disc, second.hasCover) == (2, 2, true))
        #expect(second.gain == ReplayGain(trackGain: -7, albumGain: -5, albumPeak: 0.5))
        #expect(first.gain == ReplayGain(albumGain: -5, albumPeak: 0.5))
        #expect(second.others == ["Label": ["L"]])
    }
}
