import Testing
import UndersongBase

@Suite struct `Ranges of bytes` {
    @Test func `Ranges of bytes join what touches, in any order`() {
        var ranges = ByteRanges()
        ranges.insert(10..<20)
        ranges.insert(30..<40)
        ranges.insert(0..<5)
        ranges.insert(20..<30)

        #expect(ranges.ranges == [0..<5, 10..<40])
        #expect(ranges.count == 35)
    }

    @Test func `Ranges of bytes absorb what overlaps several`() {
        var ranges = ByteRanges([0..<5, 10..<20, 30..<40])

        ranges.insert(4..<35)

        #expect(ranges.ranges == [0..<40])
    }

    @Test func `Ranges of bytes leave out empty ranges and those below 0`() {
        let ranges = ByteRanges([7..<7, -3..<2])

        #expect(ranges.isEmpty)
    }

    @Test func `Ranges of bytes know how far one can read from a byte, and back from it`() {
        let ranges = ByteRanges([0..<5, 10..<20])

        #expect(ranges.end(from: 12) == 20)
        #expect(ranges.end(from: 20) == 20)
        #expect(ranges.end(from: 7) == 7)
        #expect(ranges.start(before: 20) == 10)
        #expect(ranges.start(before: 5) == 0)
        #expect(ranges.start(before: 10) == 10)
        #expect(ranges.contains(4) && !ranges.contains(5))
        #expect(ranges.next(after: 1) == 10..<20)
        #expect(ranges.next(after: 11) == nil)
    }

    @Test func `Ranges of bytes hold the same bytes as a set does, whatever is added`() {
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var (ranges, bytes) = (ByteRanges(), Set<Int64>())
            for _ in 0..<20 {
                let start = Int64.random(in: 0..<100, using: &dice)
                let range = start..<start + Int64.random(in: 0..<20, using: &dice)
                ranges.insert(range)
                bytes.formUnion(range)
            }

            #expect(Set(ranges.ranges.flatMap { Array($0) }) == bytes)
            #expect(
                zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy {
                    $0.upperBound < $1.lowerBound
                })
        }
    }
}
