import Testing
import UndersongPlayback

@Suite struct `A run of frames` {
    /// The description of a run of frames of 100 bytes and 1152 samples at these offsets.
    private func verdicts(
        _ offsets: [Int], isTrusted: Bool = false, tags: [Range<Int>] = []
    ) -> [FrameRun.Verdict] {
        var run = FrameRun(isTrusted: isTrusted)
        return offsets.map { offset in
            let frame = FrameRun.Frame(offset: offset, length: 100, sampleCount: 1152)
            return run.add(frame) { tags.contains($0) }
        }
    }

    @Test func `A run of frames is music from its fourth frame on`() {
        #expect(verdicts([0, 100, 200, 300, 400]).map(\.earlier) == [nil, nil, nil, true, true])
    }

    @Test func `A run of frames is noise if a gap comes before`() {
        #expect(verdicts([0, 100, 200, 350, 450]).map(\.earlier) == [nil, nil, nil, false, nil])
    }

    @Test func `A run of frames may have a few stray bytes between them once it is music`() {
        let offsets = [0, 100, 200, 300, 401, 509]
        #expect(verdicts(offsets).map(\.earlier) == [nil, nil, nil, true, true, true])
        #expect(verdicts([0, 101, 201, 301]).map(\.earlier) == [nil, false, nil, nil])
    }

    @Test func `A run of frames is of one kind until it is music`() {
        var run = FrameRun()
        let earlier = [1, 1, 2, 2, 2, 2, 1].enumerated().map { index, kind in
            var frame = FrameRun.Frame(offset: index * 100, length: 100, sampleCount: 1152)
            frame.kind = kind
            return run.add(frame) { _ in false }.earlier
        }

        #expect(earlier == [nil, nil, false, nil, nil, true, true])
    }

    @Test(arguments: [false, true])
    func `A run of free format is music after sixteen frames that are not all alike`(varies: Bool) {
        var run = FrameRun()
        let earlier = (0..<20).map { index in
            var frame = FrameRun.Frame(offset: index * 100, length: 100, sampleCount: 1152)
            frame.freeContents = varies ? index / 10 : 7
            return run.add(frame) { _ in false }.earlier
        }

        #expect(earlier.firstIndex(of: true) == (varies ? 15 : nil))
        #expect(!earlier.contains(false))
    }

    @Test func `A run of frames loses the last one before damage, which may have reached it`() {
        let offsets = [0, 100, 200, 300, 400, 590]
        #expect(verdicts(offsets).map(\.earlier).suffix(2) == [true, false])
    }

    @Test func `A run of frames keeps the last one before a tag`() {
        let offsets = [0, 100, 200, 300, 400, 590]
        let verdicts = verdicts(offsets, tags: [500..<590])
        #expect(verdicts.map(\.earlier).suffix(2) == [true, true])
        #expect(verdicts.last?.isBroken == false)
    }

    @Test func `A run of frames is music at once where that is known`() {
        #expect(verdicts([70, 170], isTrusted: true).map(\.earlier) == [true, true])
        #expect(verdicts([70, 400, 500], isTrusted: true).map(\.earlier) == [true, false, nil])
    }

    @Test func `A run of frames lacks after damage what frames before it had left`() {
        var run = FrameRun(isTrusted: true)
        var broken: [Bool] = []
        for (index, offset) in [0, 100, 300, 400, 500, 600, 700, 800].enumerated() {
            var frame = FrameRun.Frame(offset: offset, length: 100, sampleCount: 1152)
            (frame.borrowed, frame.capacity) = (index == 4 ? 170 : index == 5 ? 210 : 0, 80)
            broken.append(run.add(frame) { _ in false }.isBroken)
        }

        // The first after the gap sounds of what was before it; the third uses more than 80 + 80
        // bytes, and the fourth not more than 80 + 80 + 80.
        #expect(broken == [false, false, true, false, true, false, false, false])
    }

    @Test func `A run of frames needs longer to recover where they are short`() {
        var run = FrameRun(isTrusted: true)
        let broken = [0, 100, 300, 400, 500].map { offset in
            let frame = FrameRun.Frame(offset: offset, length: 100, sampleCount: 576)
            return run.add(frame) { _ in false }.isBroken
        }

        #expect(broken == [false, false, true, true, false])
    }
}
