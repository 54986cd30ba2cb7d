import Foundation
import UndersongBase
import UndersongPlayback

/// A time with these fields, which is a number unless the flags say otherwise.
func time(
    _ value: Int64, _ timescale: Int32, _ flags: CMTimeFlags = .valid, epoch: Int64 = 0
) -> CMTime {
    CMTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
}

/// Value, timescale, flags and epoch.
func fields(_ time: CMTime) -> [Int64] {
    [time.value, Int64(time.timescale), Int64(time.flags.rawValue), time.epoch]
}

/// Seeds for random tests; the environment's UNDERSONG_SEED is the first.
func seeds(_ count: Int) -> Range<Int> {
    let first = ProcessInfo.processInfo.environment["UNDERSONG_SEED"].flatMap { Int($0) } ?? 1
    return first..<first + count
}

extension SeededGenerator {
    /// A time of any kind and size, including the largest and smallest of each field.
    mutating func time() -> CMTime {
        let kinds: [CMTimeFlags] = [[], .positiveInfinity, .negativeInfinity, .indefinite]
        guard Int.random(in: 0..<4, using: &self) == 0 else { return number() }
        var time = number()
        switch Int.random(in: 0..<5, using: &self) {
        case 0: time.flags.remove(.valid)
        case 1: time.timescale = pick([0, -1, .min])
        default: time.flags.formUnion(pick(kinds))
        }
        return time
    }

    /// A number of seconds in some epoch, rounded or not.
    mutating func number() -> CMTime {
        let isRounded = Int.random(in: 0..<4, using: &self) == 0
        return CMTime(
            value: value(), timescale: timescale(),
            flags: isRounded ? [.valid, .hasBeenRounded] : .valid,
            epoch: pick([0, 0, 0, 0, 1, 2, -1]))
    }

    mutating func value() -> Int64 {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: pick([0, 1, -1, 2, .max, .min, .max - 1, .min + 1, 1 << 53])
        case 1: Int64.random(in: -20...20, using: &self)
        case 2: Int64.random(in: -1_000_000_000...1_000_000_000, using: &self)
        default: Int64.random(in: .min ... .max, using: &self)
        }
    }

    mutating func timescale() -> Int32 {
        switch Int.random(in: 0..<3, using: &self) {
        case 0: pick([1, 2, 3, 100, 600, 44_100, 48_000, 90_000, 65_535, .max, .max - 1])
        case 1: Int32.random(in: 1...20, using: &self)
        default: Int32.random(in: 1 ... .max, using: &self)
        }
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
