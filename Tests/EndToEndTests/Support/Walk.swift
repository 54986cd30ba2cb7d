/// Compares what was heard with its source, as runs at one volume factor after the other, with
/// linear ramps of 20 ms between them.
struct Walk {
    private static let ramp = 882

    /// The number of frames at each factor.
    private(set) var lengths: [Int] = []
    /// The first difference; empty if there is none.
    private(set) var failure = ""

    init(along heard: [Frame], of source: [Frame], factors: [Float]) {
        var frame = 0
        for (index, factor) in factors.enumerated() {
            let start = frame
            while frame < heard.count, isNear(heard[frame], scaled(source[frame], factor)) {
                frame += 1
            }
            lengths.append(frame - start)
            guard index + 1 < factors.count else { break }
            // A ramp's first frames may be too small to change, so it may have begun earlier.
            let first = (0...16).map { frame - $0 }.first { first in
                (0..<Self.ramp).allSatisfy { place in
                    let way = Float(place) / Float(Self.ramp)
                    let between = factor + (factors[index + 1] - factor) * way
                    return first + place < heard.count
                        && isNear(heard[first + place], scaled(source[first + place], between))
                }
            }
            guard let first else {
                failure = "frame \(frame) is not the way from \(factor)"
                return
            }
            frame = first + Self.ramp
        }
        if frame < heard.count { failure = "frame \(frame) is changed" }
    }
}

/// True if two frames are equal except for the server's rounding, which truncates samples and
/// rounds its factor.
func isNear(_ left: Frame, _ right: Frame) -> Bool {
    zip(channels(left), channels(right)).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
}

/// The two samples of a frame.
private func channels(_ frame: Frame) -> [Int16] {
    [Int16(truncatingIfNeeded: frame), Int16(truncatingIfNeeded: frame >> 16)]
}

/// A frame with its samples multiplied and rounded to the nearest integer.
func scaled(_ frame: Frame, _ factor: Float) -> Frame {
    let samples = channels(frame).map { Int16((Float($0) * factor).rounded()) }
    return Frame(UInt16(bitPattern: samples[0])) | Frame(UInt16(bitPattern: samples[1])) << 16
}
