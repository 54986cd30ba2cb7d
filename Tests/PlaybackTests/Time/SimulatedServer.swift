import Foundation
import UndersongBase
import UndersongPlayback

/// A sound server that answers late, runs out of frames and is emptied at random, but the same in
/// each run: one frame is one nanosecond.
struct SimulatedServer {
    static let sampleRate = 1_000_000_000

    /// Nanoseconds that the way to the server and the way back take on average.
    var ways = (there: 60_000.0, back: 60_000.0)
    /// The probability that one way takes 30 ms longer.
    var hindrance = 0.05
    /// The excess of the device clock's rate over the host's.
    var drift = 0.0
    /// When the device runs out of frames, and for how long.
    var underruns: [(hostTime: Int64, duration: Int64)] = []
    /// When the device is emptied, and for how long the sound stops until a reading says so.
    var flush: (hostTime: Int64, silence: Int64)?

    /// The frame that is heard at a host time.
    func heard(at hostTime: Int64) -> Double {
        var played = hostTime
        for gap in underruns + (flush.map { [($0.hostTime, $0.silence)] } ?? [])
        where hostTime > gap.hostTime {
            played -= min(gap.duration, hostTime - gap.hostTime)
        }
        return Double(played) * (1 + drift)
    }

    /// The readings of 20 s: frequent after the start and after a flush, then every 1.4 s.
    func readings(using chance: inout SeededGenerator) -> [ClockReading] {
        var readings: [ClockReading] = []
        let end: Int64 = 20_000_000_000
        for asked in Self.questions(from: 0, until: flush?.hostTime ?? end) {
            readings.append(answer(asked, epoch: 0, using: &chance))
        }
        if let flush {
            let kept = Int(heard(at: flush.hostTime))
            readings.append(
                ClockReading(written: kept, heard: nil, hostTime: flush.hostTime, epoch: 1))
            for asked in Self.questions(from: flush.hostTime + flush.silence, until: end) {
                readings.append(answer(asked, epoch: 1, using: &chance))
            }
        }
        return readings
    }

    private static func questions(from start: Int64, until end: Int64) -> [Int64] {
        let young: [Int64] = [20, 40, 80, 120, 200, 300, 450, 700, 1000]
        let old = stride(from: Int64(2400), to: 30_000, by: 1400)
        return (young + old).map { start + $0 * 1_000_000 }.filter { $0 < end }
    }

    private func answer(
        _ asked: Int64, epoch: Int, using chance: inout SeededGenerator
    ) -> ClockReading {
        let there = way(ways.there, using: &chance)
        let back = way(ways.back, using: &chance)
        let exact = heard(at: asked + there)
        return ClockReading(
            written: Int(exact) + 3_000_000_000, heard: (exact / 1000).rounded() * 1000,
            hostTime: asked + (there + back) / 2, epoch: epoch, error: (there + back) / 2)
    }

    private func way(_ mean: Double, using chance: inout SeededGenerator) -> Int64 {
        let usual = -log(1 - Double.random(in: 0..<1, using: &chance)) * mean
        let isHindered = Double.random(in: 0..<1, using: &chance) < hindrance
        return Int64(usual) + (isHindered ? 30_000_000 : 0)
    }
}
