import Testing
import UndersongPlayback

@Suite struct `A chapter's end` {
    private static func chapters(_ times: [(Int64, Int64?)]) -> [Chapter] {
        times.map { Chapter(start: time($0.0), end: $0.1.map(time)) }
    }

    private static func time(_ seconds: Int64) -> CMTime { CMTime(value: seconds, timescale: 1) }

    @Test(arguments: [(0, 10), (9, 10), (10, 25), (24, 25)] as [(Int64, Int64)])
    func `A chapter's end is that of the chapter containing the time`(time: Int64, end: Int64) {
        let chapters = Self.chapters([(0, 10), (10, 25)])

        #expect(chapters.end(of: Self.time(time)) == Self.time(end))
    }

    @Test(arguments: [(0, 5), (4, 5), (10, 12), (11, 12), (15, nil)] as [(Int64, Int64?)])
    func `A chapter ends where the next one begins between two, and the last does not end`(
        time: Int64, end: Int64?
    ) {
        let chapters = Self.chapters([(5, 10), (12, 15)])

        #expect(chapters.end(of: Self.time(time)) == end.map { Self.time($0) })
        #expect([Chapter]().end(of: .zero) == nil)
    }

    @Test(arguments: [(0, 10), (10, nil)] as [(Int64, Int64?)])
    func `A chapter ends where the next one begins, or nowhere, if the tag has no end`(
        time: Int64, end: Int64?
    ) {
        let chapters = Self.chapters([(0, nil), (10, nil)])

        #expect(chapters.end(of: Self.time(time)) == end.map { Self.time($0) })
    }

    @Test(arguments: [(0, 5), (5, 12), (11, 12), (12, nil), (20, nil)] as [(Int64, Int64?)])
    func `A chapter is left by the user for the start of the next one`(time: Int64, next: Int64?) {
        let chapters = Self.chapters([(12, 15), (5, 10)])

        #expect(chapters.next(after: Self.time(time)) == next.map { Self.time($0) })
    }

    @Test(
        arguments: [(4, nil), (5, nil), (6, nil), (7, 5), (12, 5), (13, 5), (14, 12), (99, 12)]
            as [(Int64, Int64?)])
    func `A chapter is left for its start, or in the first two seconds for the one before`(
        time: Int64, previous: Int64?
    ) {
        let chapters = Self.chapters([(12, 15), (5, 10)])

        #expect(chapters.previous(before: Self.time(time)) == previous.map { Self.time($0) })
    }

    @Test(arguments: [(0, 20), (20, 30), (35, 40), (45, 100)] as [(Int64, Int64)])
    func `A chapter's end is that of the innermost, in any order`(time: Int64, end: Int64) {
        let chapters = Self.chapters([(30, 40), (0, 100), (20, 30)])

        #expect(chapters.end(of: Self.time(time)) == Self.time(end))
    }

    @Test func `A chapter's end is the next one's beginning if they overlap`() {
        let chapters = Self.chapters([(0, 12), (10, 25)])

        #expect(chapters.end(of: Self.time(3)) == Self.time(10))
        #expect(chapters.end(of: Self.time(11)) == Self.time(25))
    }
}
