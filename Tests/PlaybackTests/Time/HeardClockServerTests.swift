import Testing
import UndersongBase
import UndersongPlayback

/// Random servers, and what must hold for the clock on all of them.
@Suite struct `A heard clock with any server` {
    @Test(arguments: seeds(50))
    func `A heard clock is right from the first second however late single answers are`(seed: Int) {
        var chance = SeededGenerator(seed: seed)
        let server = SimulatedServer(drift: Double.random(in: -1e-4...1e-4, using: &chance))

        let errors = moments(of: server, using: &chance)
            .filter { $0.hostTime >= 1_000_000_000 }.map { abs($0.error) }.sorted()

        #expect(errors.reduce(0, +) / Double(errors.count) <= 0.3)
        #expect(errors[errors.count * 99 / 100] <= 1)
    }

    @Test(arguments: seeds(50))
    func `A heard clock knows its uncertainty from its first reading on`(seed: Int) {
        var chance = SeededGenerator(seed: seed)
        let drift = Double.random(in: -1e-4...1e-4, using: &chance)
        // A busy server, and one whose answers are all late on the way back.
        for ways in [(there: 1e6, back: 1e6), (there: 3e4, back: 5e6)] {
            let server = SimulatedServer(ways: ways, drift: drift)

            let known = moments(of: server, using: &chance).filter(\.error.isFinite)

            // Since the reading, the device's own clock has been off by up to 0.14 ms.
            #expect(!known.isEmpty)
            #expect(known.filter { abs($0.error) > $0.uncertainty + 0.15 }.isEmpty)
        }
    }

    @Test(arguments: seeds(50))
    func `A heard clock is right within three good answers after the device ran dry`(
        seed: Int
    ) {
        var chance = SeededGenerator(seed: seed)
        for longest: Int64 in [20_000_000, 500_000_000] {
            let duration = Int64.random(in: 1_000_000...longest, using: &chance)
            let hostTime = Int64.random(in: 50_000_000...10_000_000_000, using: &chance)
            let server = SimulatedServer(hindrance: 0, underruns: [(hostTime, duration)])

            // Three answers arrive within 4.2 s.
            let found = hostTime + duration + 4_300_000_000
            let errors = moments(of: server, using: &chance)
                .filter { $0.hostTime >= found }.map { abs($0.error) }

            #expect((errors.max() ?? .infinity) <= 0.5)
        }
    }

    @Test(arguments: seeds(50))
    func `A heard clock is right from the first second after the device was emptied`(seed: Int) {
        var chance = SeededGenerator(seed: seed)
        let server = Self.emptied(using: &chance)
        let start = (server.flush?.hostTime ?? 0) + (server.flush?.silence ?? 0)

        let errors = moments(of: server, using: &chance)
            .filter { $0.hostTime >= start + 1_050_000_000 }.map { abs($0.error) }

        #expect((errors.max() ?? .infinity) <= 1)
        #expect(errors.reduce(0, +) / Double(errors.count) <= 0.3)
    }

    @Test(arguments: seeds(50))
    func `A heard clock never runs backward, and never past what was written`(seed: Int) {
        var chance = SeededGenerator(seed: seed)
        var server = Self.emptied(using: &chance)
        server.ways = (1e6, 4e6)
        server.underruns = (0..<3).map { _ in
            (
                .random(in: 0...20_000_000_000, using: &chance),
                .random(in: 0...60_000_000, using: &chance)
            )
        }

        let moments = moments(of: server, using: &chance)

        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0.frame <= $1.frame })
        var heard = 0.0
        let isPast = moments.contains { moment in
            defer { heard = moment.frame }
            return moment.frame > max(moment.limit, heard)
        }
        #expect(!isPast)
    }

    private static func emptied(using chance: inout SeededGenerator) -> SimulatedServer {
        SimulatedServer(
            flush: (
                .random(in: 100_000_000...10_000_000_000, using: &chance),
                .random(in: 0...20_000_000, using: &chance)
            ))
    }

    private func moments(
        of server: SimulatedServer, using chance: inout SeededGenerator
    ) -> [HeardMoment] {
        let readings = server.readings(using: &chance)
        return HeardMoment.all(readings, sampleRate: SimulatedServer.sampleRate) {
            server.heard(at: $0)
        }
    }
}
