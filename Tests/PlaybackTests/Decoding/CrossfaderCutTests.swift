import Testing

@testable import UndersongPlayback

@Suite struct `A crossfader that is cut` {
    private let first = noise(100, seed: 1)

    /// Two passages that overlap by 20 frames, from frame 80 on.
    private func begun() -> Crossfader {
        var crossfader = Crossfader(channelCount: 1)
        _ = crossfader.play(first, overlap: 20)
        _ = crossfader.begin(overlap: 20, within: nil)
        crossfader.mark(at: 80, oldest: 0)
        _ = crossfader.pass(noise(40, seed: 2))
        return crossfader
    }

    @Test func `A crossfader cut at the seam gets back the unmixed end of the passage before`() {
        var crossfader = begun()

        crossfader.cut(at: 80, isJump: false)

        #expect(crossfader.heldFrames == 20)
        #expect(crossfader.playOut().int16 == Array(first[80...]))
    }

    @Test func `A crossfader cut at the seam mixes that end with another passage from its start`() {
        var crossfader = begun()
        var straight = Crossfader(channelCount: 1)
        _ = straight.play(first, overlap: 20)
        let third = noise(200, seed: 3)

        crossfader.cut(at: 80, isJump: false)

        #expect(crossfader.play(third, overlap: 20) == straight.play(third, overlap: 20))
    }

    @Test func `A crossfader cut at the seam releases part of that end if less of it overlaps now`()
    {
        var crossfader = begun()

        crossfader.cut(at: 80, isJump: false)
        let out = crossfader.begin(overlap: 20, within: 10).int16

        #expect(out == Array(first[80..<95]))
    }

    @Test(arguments: [0, 79, 81, 100, 130])
    func `A crossfader cut elsewhere has nothing left to mix with what follows`(position: Int) {
        var crossfader = begun()
        let third = noise(200, seed: 3)

        crossfader.cut(at: position, isJump: false)
        let held = crossfader.heldFrames
        let out = crossfader.play(third, overlap: 20)

        #expect(held == 0)
        #expect(out == Array(third[..<180]))
    }

    @Test func `A crossfader cut by a jump gets nothing back, not even at the seam`() {
        var crossfader = begun()
        let third = noise(200, seed: 3)

        crossfader.cut(at: 80, isJump: true)
        let held = crossfader.heldFrames
        let out = crossfader.play(third, overlap: 20)
        crossfader.cut(at: 80, isJump: false)

        #expect(held == 0)
        #expect(out == Array(third[..<180]))
        #expect(crossfader.heldFrames == 0)
    }

    @Test func `A cut crossfader gets back the end of any passage, however many followed it`() {
        var crossfader = begun()
        _ = crossfader.begin(overlap: 20, within: nil)
        crossfader.mark(at: 100, oldest: 0)
        _ = crossfader.pass(noise(90, seed: 4))
        var later = crossfader

        crossfader.cut(at: 80, isJump: false)
        later.cut(at: 100, isJump: false)

        #expect(crossfader.playOut().int16 == Array(first[80...]))
        #expect(later.playOut().int16 == Array(noise(40, seed: 2)[20...]))
    }

    @Test func `A cut crossfader forgets the ends at which the stream can no longer be cut`() {
        var crossfader = begun()
        _ = crossfader.begin(overlap: 20, within: nil)
        crossfader.mark(at: 100, oldest: 81)

        crossfader.cut(at: 80, isJump: false)

        #expect(crossfader.heldFrames == 0)
    }

    @Test func `A cut crossfader gets an end back only once`() {
        var crossfader = begun()
        crossfader.cut(at: 80, isJump: false)
        _ = crossfader.playOut()

        crossfader.cut(at: 80, isJump: false)

        #expect(crossfader.heldFrames == 0)
    }

    @Test func `A crossfader cut at a seam that is made again gets the same end back again`() {
        var crossfader = begun()
        crossfader.cut(at: 80, isJump: false)
        _ = crossfader.begin(overlap: 20, within: nil)
        crossfader.mark(at: 80, oldest: 0)
        _ = crossfader.pass(noise(10, seed: 5))
        var straight = Crossfader(channelCount: 1)
        _ = straight.play(first, overlap: 20)
        let third = noise(200, seed: 3)

        crossfader.cut(at: 80, isJump: false)

        #expect(crossfader.play(third, overlap: 20) == straight.play(third, overlap: 20))
    }

    @Test func `A cut crossfader gets nothing back where nothing overlapped`() {
        var crossfader = Crossfader(channelCount: 1)
        _ = crossfader.play(first, overlap: 0)
        _ = crossfader.begin(overlap: 20, within: nil)
        crossfader.mark(at: 100, oldest: 0)
        _ = crossfader.pass(noise(50, seed: 2))

        crossfader.cut(at: 100, isJump: false)

        #expect(crossfader.heldFrames == 0)
    }
}
