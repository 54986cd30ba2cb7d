import Glibc
import Testing

@testable import UndersongBase

@Suite struct `The processor time of a process` {
    @Test func `It is the sum of four times in hundredths of a second, whatever the name`() {
        let fields = "R 1 2 3 4 5 6 7 8 9 10"

        #expect(
            ProcessorTime.seconds(inStat: "7 (a) 1 (b) \(fields) 100 50 20 5 20 0") == 1.75)
        #expect(ProcessorTime.seconds(inStat: "7 (a) R 1 2") == nil)
        #expect(ProcessorTime.seconds(inStat: "") == nil)
    }

    @Test func `It grows as the process works, by both measures`() throws {
        let before = try #require(ProcessorTime.seconds(ofProcess: getpid()))
        let own = ProcessorTime.own
        var sum = 0.0

        while ProcessorTime.own < own + 0.05 { sum += sin(sum + 1) }

        let after = try #require(ProcessorTime.seconds(ofProcess: getpid()))
        #expect(sum.isFinite)
        #expect(after > before)
    }

    @Test func `A process that does not exist has spent no time that is known`() {
        #expect(ProcessorTime.seconds(ofProcess: .max) == nil)
    }
}
