import Testing

@testable import UndersongPlayback

@Suite struct `A CUE sheet` {
    @Test func `A CUE sheet returns tracks from INDEX 01 to that of the next one, to the frame`()
        throws
    {
        let text = """
            REM GENRE Folk
            PERFORMER "The Band"
            TITLE "The Album"
            FILE "The "Album".mp3" MP3
              TRACK 01 AUDIO
                TITLE "One"
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                TITLE "Two"
                PERFORMER "A Guest"
                INDEX 00 04:10:00
                INDEX 01 04:12:37
              TRACK 03 AUDIO
                INDEX 01 100:00:74
            """

        let found = try entries(text.utf8, .cue)

        let file = "/lists/The \"Album\".mp3"
        #expect(
            found == [
                .part(file, "The Band - One", from: 0, to: 18937),
                .part(file, "A Guest - Two", from: 18937, to: 450_074),
                .part(file, nil, from: 450_074),
            ])
    }

    @Test func `A CUE sheet of several files ends the last track of each with its file`() throws {
        let text = """
            FILE a.mp3 MP3
            TRACK 01 AUDIO
            TITLE One
            INDEX 01 00:01:00
            TRACK 02 AUDIO
            INDEX 00 03:00:00
            FILE b c.mp3 MP3
            INDEX 01 00:00:00
            TITLE Two
            """

        let found = try entries(text.utf8, .cue)

        #expect(
            found == [
                .part("/lists/a.mp3", "One", from: 75), .part("/lists/b c.mp3", "Two", from: 0),
            ])
    }

    @Test func `A CUE sheet omits data, which ends the track before it nevertheless`() throws {
        let text = """
            FILE "d.bin" BINARY
            TRACK 01 AUDIO
            INDEX 01 00:00:00
            TRACK 02 MODE1/2352
            INDEX 01 01:00:00
            TRACK 03 AUDIO
            INDEX 01 02:00:00
            """

        let found = try entries(text.utf8, .cue)

        #expect(
            found == [
                .part("/lists/d.bin", nil, from: 0, to: 4500),
                .part("/lists/d.bin", nil, from: 9000),
            ])
    }

    @Test(arguments: [
        "00:60:00", "00:00:75", "1:2", "a:b:c", "-1:00:00", "99999999999:00:00", "", "00:00:00 x",
    ])
    func `A CUE sheet omits a track without a start`(time: String) throws {
        let text =
            "FILE a.mp3 MP3\nTRACK 01 AUDIO\nINDEX 01 \(time)\nTRACK 02 AUDIO\nINDEX 01 0:1:0"

        let found = try entries(text.utf8, .cue)

        #expect(found == [.part("/lists/a.mp3", nil, from: 75)])
    }

    @Test func `A CUE sheet does not end a track before it begins`() throws {
        let text = """
            FILE a.mp3 MP3
            TRACK 01 AUDIO
            INDEX 01 01:00:00
            TRACK 02 AUDIO
            INDEX 01 00:30:00
            """

        let found = try entries(text.utf8, .cue)

        #expect(
            found == [
                .part("/lists/a.mp3", nil, from: 4500), .part("/lists/a.mp3", nil, from: 2250),
            ]
        )
    }

    @Test func `A CUE sheet is empty if nothing is where it belongs`() throws {
        let text =
            "INDEX 01 00:00:00\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nFILE\nTRACK\nTITLE\nINDEX\n"

        #expect(try entries(text.utf8, .cue) == [])
    }
}
