import Testing
import UndersongPlayback

private func frame(_ offset: Int, _ length: Int, bitrate: Int = 128) -> FrameSurvey.Frame {
    FrameSurvey.Frame(offset: offset, length: length, bitrate: bitrate, seconds: 0.025)
}

@Suite struct `A survey of frames` {
    @Test func `A survey of frames counts them and reports where they begin and end`() {
        var survey = FrameSurvey()

        let gaps = [survey.add(frame(100, 400)), survey.add(frame(500, 400))]

        #expect(gaps == [nil, nil])
        #expect(survey.count == 2)
        #expect(survey.start == 100)
        #expect(survey.end == 900)
    }

    @Test func `A survey returns the bytes between two frames, and counts the skipped ones`() {
        var survey = FrameSurvey()

        _ = survey.add(frame(0, 400))
        let first = survey.add(frame(410, 400))
        let second = survey.add(frame(830, 400))
        survey.skip(400..<410)
        survey.skip(815..<830)
        survey.skip(830..<830)

        #expect(first == 400..<410)
        #expect(second == 810..<830)
        #expect(survey.skippedBytes == 25)
        #expect(survey.skippedPlaces == 2)
        #expect(survey.firstSkipped == 400)
    }

    @Test func `A survey excludes a frame without music from count and bit rate`() {
        var survey = FrameSurvey()

        _ = survey.add(frame(0, 208, bitrate: 64), isHeader: true)
        _ = survey.add(frame(208, 400))
        _ = survey.add(frame(608, 400))

        #expect(survey.count == 2)
        #expect(survey.start == 0)
        #expect(survey.headerEnd == 208)
        #expect(survey.isConstant)
        #expect(survey.averageBitrate == 128)
    }

    @Test func `A survey averages changing bit rates over time`() {
        var survey = FrameSurvey()

        _ = survey.add(frame(0, 400, bitrate: 128))
        _ = survey.add(frame(400, 800, bitrate: 256))

        #expect(!survey.isConstant)
        #expect(survey.averageBitrate == 192)
    }

    @Test func `A survey of nothing has no average`() {
        let survey = FrameSurvey()

        #expect(survey.averageBitrate == nil)
        #expect(survey.start == nil)
        #expect(survey.firstSkipped == nil)
    }
}
