import Testing
import UndersongPlayback

private func isClose(_ first: Double, _ second: Double) -> Bool {
    abs(first - second) < 1e-12 * max(1, abs(second))
}

@Suite struct `The gain of a file` {
    @Test(arguments: [
        (0.0, 1.0), (-20.0, 0.1), (-6.020599913279624, 0.5), (-60.0, 0.001),
        (-3.25, 0.6878599123088276), (-0.01, 0.998849369936505),
    ])
    func `The gain of a file turns decibels into a factor`(gain: Double, factor: Double) {
        let replayGain = ReplayGain(trackGain: gain)

        #expect(isClose(replayGain.factor(.track), factor))
    }

    @Test func `The gain of a file amplifies only as far as the peak allows`() {
        let quiet = ReplayGain(trackGain: 6.020599913279624, trackPeak: 0.25)
        let loud = ReplayGain(trackGain: 6.020599913279624, trackPeak: 0.8)
        let clipped = ReplayGain(trackGain: -1, trackPeak: 1.25)

        #expect(isClose(quiet.factor(.track), 2))
        #expect(isClose(loud.factor(.track), 1.25))
        #expect(isClose(clipped.factor(.track), 0.8))
    }

    @Test func `The gain of a file never amplifies if the peak is unknown`() {
        let replayGain = ReplayGain(trackGain: 6)

        #expect(replayGain.factor(.track) == 1)
        #expect(isClose(ReplayGain(trackGain: -20).factor(.track), 0.1))
    }

    @Test
    func `The gain of a file has a track and an album factor, either of which may be missing`() {
        let both = ReplayGain(trackGain: -20, trackPeak: 1, albumGain: -40, albumPeak: 1)
        let track = ReplayGain(trackGain: -20)
        let album = ReplayGain(albumGain: -40)

        #expect(isClose(both.factor(.track), 0.1))
        #expect(isClose(both.factor(.album), 0.01))
        #expect(isClose(track.factor(.album), 0.1))
        #expect(isClose(album.factor(.track), 0.01))
    }

    @Test func `The gain of a file uses the peak that belongs to it, or else the other one`() {
        let both = ReplayGain(trackGain: 20, trackPeak: 0.5, albumGain: 20, albumPeak: 0.8)
        let album = ReplayGain(trackGain: 20, albumGain: 20, albumPeak: 0.8)

        #expect(isClose(both.factor(.track), 2))
        #expect(isClose(both.factor(.album), 1.25))
        #expect(isClose(album.factor(.track), 1.25))
    }

    @Test func `Samples are unchanged when ReplayGain is off, missing or NaN`() {
        let both = ReplayGain(trackGain: -20, albumGain: -40)

        #expect(both.factor(.off, preamplification: -6) == 1)
        #expect(ReplayGain().factor(.track, preamplification: -6) == 1)
        #expect(ReplayGain(trackPeak: 2).factor(.album) == 1)
        #expect(ReplayGain(trackGain: .nan).factor(.track) == 1)
    }

    @Test func `A passage is played with the gain that the settings choose`() {
        var settings = PlayerSettings()
        settings.replayGain = .track
        settings.preamplification = -14
        let gain = ReplayGain(trackGain: -6, trackPeak: 0.5)

        #expect(isClose(settings.passageSettings.factor(of: gain), 0.1))
        settings.replayGain = .off
        #expect(settings.passageSettings.factor(of: gain) == 1)
    }

    @Test func `The gain of a file adds the preamplification within the same limit`() {
        let replayGain = ReplayGain(trackGain: -14, trackPeak: 0.8)

        #expect(isClose(replayGain.factor(.track, preamplification: -6), 0.1))
        #expect(isClose(replayGain.factor(.track, preamplification: 40), 1.25))
    }

    @Test func `ReplayGain knows its modes by name`() {
        #expect(ReplayGainMode.allCases.map(\.rawValue) == ["off", "track", "album"])
    }
}

@Suite struct `The gain in tags` {
    @Test func `The gain in tags is read from its four names, ignoring case`() {
        var replayGain = ReplayGain()

        replayGain.parse(name: "REPLAYGAIN_TRACK_GAIN", value: "-6.20 dB")
        replayGain.parse(name: "replaygain_track_peak", value: "0.988312")
        replayGain.parse(name: "Replaygain_Album_Gain", value: "+1.5dB")
        replayGain.parse(name: "REPLAYGAIN_ALBUM_PEAK", value: "1.2")
        replayGain.parse(name: "REPLAYGAIN_REFERENCE_LOUDNESS", value: "89.0 dB")

        #expect(
            replayGain
                == ReplayGain(
                    trackGain: -6.2, trackPeak: 0.988312, albumGain: 1.5, albumPeak: 1.2))
    }

    @Test(arguments: [
        ("-6.20 dB", -6.2), ("-6.20", -6.2), ("  +0,5 DB ", 0.5), ("-6.20 db", -6.2), ("3", 3),
        ("-60 dB", -60),
    ])
    func `The gain in tags may be written in several ways`(text: String, gain: Double) {
        var replayGain = ReplayGain()

        replayGain.parse(name: "REPLAYGAIN_TRACK_GAIN", value: text)

        #expect(replayGain.trackGain == gain)
    }

    @Test(arguments: ["", "dB", "loud", "nan", "inf dB", "0x10", "61 dB", "1e1 dB", "6 dB more"])
    func `The gain in tags is ignored if it is not one`(text: String) {
        var replayGain = ReplayGain()

        replayGain.parse(name: "REPLAYGAIN_TRACK_GAIN", value: text)

        #expect(replayGain.isEmpty)
    }

    @Test(arguments: ["", "0", "-1", "nan", "loud"])
    func `The peak in tags is ignored if it is not one`(text: String) {
        var replayGain = ReplayGain()

        replayGain.parse(name: "REPLAYGAIN_ALBUM_PEAK", value: text)

        #expect(replayGain.isEmpty)
    }

    @Test func `A peak in tags that is not a number is ignored`() {
        var replayGain = ReplayGain()

        replayGain.parse(
            name: "REPLAYGAIN_TRACK_PEAK", value: String(repeating: "9", count: 400))

        #expect(replayGain.isEmpty)
    }

    @Test func `Tags keep the first gain of each name, and their own values when completed`() {
        var replayGain = ReplayGain()

        replayGain.parse(name: "REPLAYGAIN_TRACK_GAIN", value: "-1 dB")
        replayGain.parse(name: "REPLAYGAIN_TRACK_GAIN", value: "-2 dB")
        replayGain.complete(with: ReplayGain(trackGain: -3, trackPeak: 0.5, albumGain: -4))

        #expect(replayGain == ReplayGain(trackGain: -1, trackPeak: 0.5, albumGain: -4))
    }
}
