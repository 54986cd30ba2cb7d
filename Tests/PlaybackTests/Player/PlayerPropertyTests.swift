import Foundation
import Testing
import UndersongPlayback

/// Random inputs, the same in every run: commands, edits, and the reports of a sound path that
/// comes and goes. `PLAYER_INPUTS` sets the total number.
@Suite struct `A player under random events` {
    private static let count =
        ProcessInfo.processInfo.environment["PLAYER_INPUTS"].flatMap(Int.init) ?? 20_000
    private static let length = 200

    @Test(arguments: 0..<4)
    func `A player plays when it can, keeps every edit and reports nothing twice`(part: Int) {
        for number in 0..<max(1, Self.count / Self.length / 4) {
            let faults = RandomPlayerInputs.faults(of: Self.length, seed: UInt64(number * 4 + part))

            #expect(faults == [], "seed \(number * 4 + part)")
            guard faults.isEmpty else { return }
        }
    }
}
