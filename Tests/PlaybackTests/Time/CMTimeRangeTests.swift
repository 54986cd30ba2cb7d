import TestSupport
import Testing
import UndersongPlayback

/// Behaviour 2.1 and T15: spans of time.
@Suite struct `A CMTimeRange` {
    private let first = range(from: 0, to: 10)
    private let second = range(from: 5, to: 20)

    @Test(.rule("T15"))
    func `A CMTimeRange ends when its duration is over, and does not contain its end`() {
        let range = CMTimeRange(start: time(1, 2), duration: time(1, 3))

        #expect(fields(range.end) == [5, 6, 1, 0])
        #expect(CMTimeRangeGetEnd(range) == time(5, 6))
        #expect(range.containsTime(time(1, 2)))
        #expect(range.containsTime(time(4, 5)))
        #expect(!range.containsTime(range.end))
        #expect(!range.containsTime(time(49, 100)))
        #expect(CMTimeRangeContainsTime(first, time: .zero))
        #expect(!CMTimeRangeContainsTime(first, time: time(10, 1)))
    }

    @Test(.rule("T15")) func `A CMTimeRange that is empty, invalid or elsewhere contains nothing`()
    {
        let later = CMTimeRange(start: time(0, 1, epoch: 1), duration: time(10, 1))

        #expect(!CMTimeRange.zero.containsTime(.zero))
        #expect(!CMTimeRange.invalid.containsTime(.zero))
        #expect(!first.containsTime(.invalid))
        #expect(!first.containsTime(.indefinite))
        #expect(!first.containsTime(time(5, 1, epoch: 1)))
        #expect(!later.containsTime(time(5, 1)))
        #expect(later.containsTime(time(5, 1, epoch: 1)))
        #expect(later.end == time(10, 1, epoch: 1))
    }

    @Test(.rule("T15"))
    func `A CMTimeRange without an end contains every later time except infinity`() {
        let endless = CMTimeRange(start: time(3, 1), duration: .positiveInfinity)

        #expect(endless.end == .positiveInfinity)
        #expect(endless.containsTime(time(.max, 1)))
        #expect(!endless.containsTime(.positiveInfinity))
        #expect(!endless.containsTime(.indefinite))
        #expect(!endless.containsTime(time(2, 1)))
        #expect(endless == CMTimeRange(start: time(3, 1), end: .positiveInfinity))
    }

    @Test(.rule("2.1"))
    func `A CMTimeRange from one time to another has their difference as duration`() {
        let range = CMTimeRange(start: time(1, 3), end: time(1, 2))
        let later = CMTimeRangeFromTimeToTime(
            start: time(1, 1, epoch: 4), end: time(3, 1, epoch: 4))

        #expect(fields(range.duration) == [1, 6, 1, 0])
        #expect(fields(later.duration) == [2, 1, 1, 0])
        #expect(fields(later.end) == [3, 1, 1, 4])
        #expect(!CMTimeRange(start: time(1, 1), end: .zero).isValid)
        #expect(!CMTimeRange(start: .zero, end: time(1, 1, epoch: 4)).isValid)
    }

    @Test(.rule("2.1"))
    func `A CMTimeRange is valid with valid times and a duration that can be one`() {
        let start = time(1, 1, epoch: 4)

        #expect(CMTimeRange(start: start, duration: .zero).isValid)
        #expect(!CMTimeRange(start: .zero, duration: start).isValid)
        #expect(!CMTimeRange(start: .zero, duration: time(-1, 1)).isValid)
        #expect(!CMTimeRange(start: .invalid, duration: .zero).isValid)
        #expect(!CMTimeRange(start: .zero, duration: .invalid).isValid)
        #expect(!CMTimeRange().isValid)
        #expect(CMTimeRangeMake(start: start, duration: time(1, 1)).isValid)
        #expect(CMTimeRangeMake(start: time(1, 1), duration: start).start == .invalid)
        #expect(CMTIMERANGE_IS_VALID(first) && !CMTIMERANGE_IS_INVALID(first))
    }

    @Test(.rule("2.1")) func `A CMTimeRange is empty or indefinite only while it is valid`() {
        let unknown = CMTimeRange(start: .zero, duration: .indefinite)

        #expect(CMTimeRange.zero.isEmpty)
        #expect(CMTimeRange(start: .zero, duration: time(0, 600)).isEmpty)
        #expect(!first.isEmpty)
        #expect(!CMTimeRange(start: .invalid, duration: .zero).isEmpty)
        #expect(unknown.isIndefinite)
        #expect(CMTimeRange(start: .indefinite, duration: .zero).isIndefinite)
        #expect(!CMTimeRange(start: .indefinite, duration: .invalid).isIndefinite)
        #expect(CMTIMERANGE_IS_EMPTY(kCMTimeRangeZero))
        #expect(CMTIMERANGE_IS_INDEFINITE(unknown))
    }

    @Test(.rule("2.1")) func `A CMTimeRange equals another with equal times, and hashes alike`() {
        let same = CMTimeRange(start: time(0, 600), duration: time(6000, 600))

        #expect(first == same)
        #expect(first.hashValue == same.hashValue)
        #expect(CMTimeRangeEqual(first, same))
        #expect(!CMTimeRangeEqual(first, second))
        #expect(kCMTimeRangeInvalid == CMTimeRange())
    }

    @Test(.rule("2.1")) func `A CMTimeRange contains a range that begins and ends within it`() {
        #expect(first.containsTimeRange(range(from: 0, to: 10)))
        #expect(first.containsTimeRange(range(from: 3, to: 4)))
        #expect(!first.containsTimeRange(second))
        #expect(!CMTimeRangeContainsTimeRange(range(from: 3, to: 4), otherRange: first))
        #expect(!first.containsTimeRange(.invalid))
        #expect(!CMTimeRange.invalid.containsTimeRange(.invalid))
    }

    @Test(.rule("2.1")) func `A CMTimeRange intersects another in what both contain`() {
        #expect(first.intersection(second) == range(from: 5, to: 10))
        #expect(second.intersection(first) == range(from: 5, to: 10))
        #expect(first.intersection(range(from: 10, to: 20)) == .zero)
        #expect(first.intersection(range(from: 15, to: 20)) == .zero)
        #expect(CMTimeRangeGetIntersection(first, otherRange: .invalid) == .invalid)
        #expect(first.intersection(range(from: 5, to: 10, epoch: 1)) == .invalid)
        #expect(
            first.intersection(CMTimeRange(start: time(4, 1), duration: .positiveInfinity))
                == range(from: 4, to: 10))
    }

    @Test(.rule("2.1"))
    func `A CMTimeRange unites with another to the smallest range containing both`() {
        #expect(first.union(second) == range(from: 0, to: 20))
        #expect(range(from: 15, to: 20).union(first) == range(from: 0, to: 20))
        #expect(second.union(.zero) == second)
        #expect(CMTimeRange.zero.union(second) == second)
        #expect(CMTimeRangeGetUnion(first, otherRange: .invalid) == .invalid)
        #expect(first.union(range(from: 5, to: 10, epoch: 1)) == .invalid)
    }

    @Test(.rule("2.1")) func `A CMTimeRange clamps times to its start and end`() {
        #expect(fields(CMTimeClampToRange(time(7, 2), range: first)) == [7, 2, 1, 0])
        #expect(CMTimeClampToRange(time(-1, 1), range: first) == .zero)
        #expect(CMTimeClampToRange(time(11, 1), range: first) == time(10, 1))
        #expect(CMTimeClampToRange(.positiveInfinity, range: first) == time(10, 1))
        #expect(CMTimeClampToRange(.negativeInfinity, range: first) == .zero)
        #expect(CMTimeClampToRange(.invalid, range: first) == .invalid)
        #expect(CMTimeClampToRange(time(1, 1), range: .zero) == .invalid)
        #expect(CMTimeClampToRange(time(1, 1), range: .invalid) == .invalid)
    }

    @Test(.rule("2.1")) func `A CMTimeRange folds times into itself, also those before it`() {
        let loop = CMTimeRange(start: time(1, 3), duration: time(2, 5))

        #expect(fields(CMTimeFoldIntoRange(.zero, foldRange: loop)) == [6, 15, 1, 0])
        #expect(fields(CMTimeFoldIntoRange(time(-7, 11), foldRange: loop)) == [93, 165, 1, 0])
        #expect(CMTimeFoldIntoRange(time(15, 1), foldRange: second) == time(15, 1))
        #expect(CMTimeFoldIntoRange(time(20, 1), foldRange: second) == time(5, 1))
        #expect(CMTimeFoldIntoRange(time(4, 1), foldRange: second) == time(19, 1))
        #expect(CMTimeFoldIntoRange(time(4, 1), foldRange: .zero) == .invalid)
        #expect(CMTimeFoldIntoRange(.positiveInfinity, foldRange: first) == .invalid)
        #expect(CMTimeFoldIntoRange(time(4, 1, epoch: 1), foldRange: first) == .invalid)
        let turn = range(from: 5, to: 20, epoch: 1)
        #expect(
            fields(CMTimeFoldIntoRange(time(21, 1, epoch: 1), foldRange: turn)) == [6, 1, 1, 1])
        let endless = CMTimeRange(start: .zero, duration: .positiveInfinity)
        #expect(CMTimeFoldIntoRange(time(4, 1), foldRange: endless) == time(4, 1))
    }

    @Test(.rule("2.1"))
    func `A CMTimeRange maps its times to another's, starts and ends to each other`() {
        let target = CMTimeRange(start: time(10, 1), duration: time(4, 1))
        let source = CMTimeRange(start: time(1, 1), duration: time(2, 1))
        let times = [time(1, 1), time(2, 1), time(3, 1), time(0, 1), time(4, 3)]

        let mapped = times.map {
            CMTimeMapTimeFromRangeToRange($0, fromRange: source, toRange: target)
        }

        #expect(mapped == [time(10, 1), time(12, 1), time(14, 1), time(8, 1), time(32, 3)])
        #expect(mapped.filter { $0.hasBeenRounded } == [])
        let duration = CMTimeMapDurationFromRangeToRange(
            time(1, 3), fromRange: CMTimeRange(start: time(1, 7), duration: time(2, 5)),
            toRange: CMTimeRange(start: time(3, 13), duration: time(7, 11)))
        #expect(duration == time(35, 66))
    }

    @Test(.rule("2.1"))
    func `A CMTimeRange maps only times of its epoch, and not to or from an empty range`() {
        let turn = range(from: 5, to: 20, epoch: 1)

        #expect(map(time(5, 1), from: .zero, to: first) == .invalid)
        #expect(map(time(5, 1), from: first, to: .zero) == .invalid)
        #expect(map(time(5, 1, epoch: 1), from: first, to: first) == .invalid)
        #expect(map(time(5, 1), from: turn, to: first) == .invalid)
        #expect(fields(map(time(5, 1, epoch: 1), from: turn, to: first)) == [0, 1, 1, 0])
        #expect(fields(map(.zero, from: first, to: turn)) == [5, 1, 1, 1])
        #expect(
            CMTimeMapDurationFromRangeToRange(
                time(1, 1, epoch: 1), fromRange: turn, toRange: turn) == .invalid)
        #expect(map(.invalid, from: first, to: first) == .invalid)
        #expect(map(.positiveInfinity, from: first, to: second) == .positiveInfinity)
    }

    @Test(.rule("2.1"))
    func `A CMTimeRange without an end maps only to another without one, by its start`() {
        let source = CMTimeRange(start: time(1, 1), duration: .positiveInfinity)
        let target = CMTimeRange(start: time(10, 1), duration: .positiveInfinity)

        #expect(map(time(5, 1), from: source, to: target) == time(14, 1))
        #expect(map(time(5, 1), from: source, to: first) == .invalid)
        #expect(map(time(5, 1), from: first, to: target) == .invalid)
    }

    @Test(.rule("2.1")) func `A CMTimeRange maps the largest times, rounded`() {
        let source = CMTimeRange(start: .zero, duration: time(.max, 2_147_483_629))
        let target = CMTimeRange(start: .zero, duration: time(.max - 1, .max))

        let mapped = map(time(.max - 2, 2_147_483_587), from: source, to: target)

        #expect(mapped.hasBeenRounded)
        #expect(abs(mapped.seconds - 4_294_967_382.000_003) < 1e-5)
    }

    @Test(.rule("T10")) func `A CMTimeRange's dictionary has two keys, and converts back`() throws {
        let range = range(from: 5, to: 20, epoch: 1)

        let dictionary = try #require(CMTimeRangeCopyAsDictionary(range))

        #expect(dictionary.keys.sorted() == ["duration", "start"])
        #expect(CMTimeRangeMakeFromDictionary(dictionary) == range)
        #expect(CMTimeRangeMakeFromDictionary([:]) == .invalid)
    }

    @Test(.rule("T11")) func `A CMTimeRange's text shows start and duration`() {
        let endless = CMTimeRange(start: .zero, duration: .positiveInfinity)

        #expect("\(endless)" == "{{0/1 = 0.000}, {+INFINITY}}")
        #expect(String(reflecting: CMTimeRange.invalid) == "{{INVALID}, {INVALID}}")
        #expect(
            CMTimeRangeCopyDescription(allocator: nil, range: .zero)
                == "{{0/1 = 0.000}, {0/1 = 0.000}}")
    }

    @Test(.rule("2.1")) func `A CMTimeRange is mapped to another, or nothing is`() {
        let mapping = CMTimeMappingMake(source: first, target: second)
        let empty = CMTimeMappingMakeEmpty(target: second)
        let wrong = CMTimeRange(start: .zero, duration: time(1, 1, epoch: 1))

        #expect(mapping == CMTimeMapping(source: first, target: second))
        #expect(mapping.isValid && !mapping.isEmpty)
        #expect(empty.isValid && empty.isEmpty)
        #expect(empty.target == second)
        #expect(CMTimeMappingMake(source: wrong, target: second) == .invalid)
        #expect(CMTimeMappingMakeEmpty(target: wrong) == kCMTimeMappingInvalid)
        #expect(!CMTimeMapping().isValid && !CMTimeMapping().isEmpty)
    }

    private func map(_ time: CMTime, from source: CMTimeRange, to target: CMTimeRange) -> CMTime {
        CMTimeMapTimeFromRangeToRange(time, fromRange: source, toRange: target)
    }
}

/// Whole seconds of one epoch.
private func range(from start: Int64, to end: Int64, epoch: Int64 = 0) -> CMTimeRange {
    CMTimeRange(start: time(start, 1, epoch: epoch), duration: time(end - start, 1))
}
