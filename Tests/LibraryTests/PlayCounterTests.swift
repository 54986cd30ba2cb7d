import TestSupport
import Testing
import UndersongBase
import UndersongLibrary

@Suite struct `The counter of plays and skips` {
    private typealias Counter = PlayCounter
    private let song = PlayCounter.Subject(path: "/music/song.flac")
    private let other = PlayCounter.Subject(path: "/music/other.flac")

    private func counts(_ inputs: [PlayCounter.Input]) -> [PlayCounter.Count] {
        var counter = PlayCounter()
        return inputs.compactMap { counter.handle($0) }
    }

    private func began(
        _ item: Int = 1, _ subject: PlayCounter.Subject? = nil, length: Double? = 200,
        at time: Double = 0
    ) -> PlayCounter.Input {
        .began(item: item, subject ?? song, length: length, time: time)
    }

    @Test(.rule("LB20"))
    func `Half of a track is a play, counted once and when it is reached`() {
        #expect(counts([began(), .reached(99.9)]) == [])
        #expect(counts([began(), .reached(100)]) == [.played(song)])
        #expect(
            counts([began(), .reached(100), .reached(150), .ended(at: 200)]) == [.played(song)])
        #expect(counts([began(), .ended(at: 200)]) == [.played(song)])
    }

    @Test(.rule("LB20"))
    func `Four minutes of a long track, or of one of unknown length, are a play`() {
        #expect(counts([began(length: 3600), .reached(239)]) == [])
        #expect(counts([began(length: 3600), .reached(240)]) == [.played(song)])
        #expect(counts([began(length: nil), .reached(240)]) == [.played(song)])
        #expect(
            counts([began(length: nil), .measured(length: 100), .reached(50)]) == [.played(song)])
    }

    @Test(.rule("LB20"))
    func `Only what is heard counts, whatever was jumped over`() {
        #expect(counts([began(), .reached(10), .jumped(to: 190), .ended(at: 200)]) == [])
        #expect(
            counts([
                began(), .reached(60), .jumped(to: 0), .reached(39), .jumped(to: 198),
                .ended(at: 200),
            ]) == [.played(song)])
        #expect(
            counts([began(), .reached(120), .jumped(to: 0), .ended(at: 200)]) == [.played(song)])
    }

    @Test(.rule("LB20"))
    func `A track that is left early is a skip, and later neither`() {
        #expect(counts([began(), .left(at: 30)]) == [.skipped(song)])
        #expect(counts([began(), .left(at: 0)]) == [.skipped(song)])
        #expect(counts([began(), .left(at: 120)]) == [.played(song)])
        #expect(counts([began(), .reached(110), .left(at: 120)]) == [.played(song)])
        #expect(counts([began(), .jumped(to: 195), .left(at: 199)]) == [.skipped(song)])
        #expect(counts([began(), .left(at: 30), .left(at: 30)]) == [.skipped(song)])
    }

    @Test(.rule("LB20"))
    func `A track that is stopped and resumed is heard once`() {
        let stopped: [PlayCounter.Input] = [began(), .reached(70), .stopped]

        #expect(counts(stopped) == [])
        #expect(counts(stopped + [began(at: 70), .reached(100)]) == [.played(song)])
        // From its start, or as another item, it is heard again.
        #expect(counts(stopped + [began(at: 0), .reached(99)]) == [])
        #expect(counts(stopped + [began(2, at: 70), .reached(169)]) == [])
        #expect(counts(stopped + [began(1, other, at: 70), .left(at: 80)]) == [.skipped(other)])
        #expect(
            counts([began(), .reached(150), .stopped, began(at: 150), .ended(at: 200)])
                == [.played(song)])
    }

    @Test(.rule("LB20"))
    func `A repeated track is counted each time`() {
        #expect(
            counts([began(), .ended(at: 200), began(), .ended(at: 200)])
                == [.played(song), .played(song)])
    }

    @Test(.rule("LB20"))
    func `A part counts by its own length, and a stream not at all`() {
        let part = PlayCounter.Subject(
            path: "/music/album.flac", part: TrackPart(start: 300, end: 500))

        #expect(
            counts([began(1, part, length: 200, at: 300), .reached(400)]) == [.played(part)])
        #expect(
            counts([
                began(), .reached(20), .began(item: 2, nil, length: nil, time: 0), .reached(500),
                .left(at: 600),
            ]) == [])
    }
}
