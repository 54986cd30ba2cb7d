import Testing

@testable import UndersongService

@Suite("Making way for other programs")
struct CourtesyTests {
    private var courtesy = Courtesy(at: Courtesy.Times(ran: 5, waited: 7_000_000_000))
    private var times = Courtesy.Times(ran: 5, waited: 7_000_000_000)

    /// The pauses, in milliseconds, of looks between which so much of 20 ms was spent waiting.
    private mutating func pauses(_ waits: Double...) -> [Int64] {
        waits.map { wait in
            times.waited += Int64(20_000_000 * wait)
            times.ran += Int64(20_000_000 * (1 - wait))
            let pause = courtesy.pause(at: times)
            // What the thread needs to look and to resume does not count.
            times.waited += 3_000_000
            courtesy.resume(at: times)
            return pause / 1_000_000
        }
    }

    @Test mutating func `An analysis does not pause while nobody else wants a processor`() {
        #expect(pauses(0, 0.05, 0.19, 0) == [0, 0, 0, 0])
    }

    @Test mutating func `An analysis pauses for longer and longer, and for a second at most`() {
        #expect(
            pauses(0.5, 0.3, 0.9, 1, 0.5, 0.5, 0.5) == [50, 100, 200, 400, 800, 1000, 1000])
    }

    @Test
    mutating func `An analysis shortens its pauses once nobody else wants a processor`() {
        #expect(
            pauses(0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0) == [50, 100, 200, 400, 200, 100, 50, 0, 0])
    }

    @Test mutating func `An analysis pauses for longer again if others still want a processor`() {
        #expect(pauses(0.5, 0.5, 0.5, 0, 0.5, 0, 0) == [50, 100, 200, 100, 200, 100, 50])
    }

    @Test mutating func `An analysis does not pause before it has run`() {
        #expect(courtesy.pause(at: times) == 0)
    }
}
