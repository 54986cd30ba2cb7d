/// The position of a channel's speaker.
package enum Speaker: Sendable {
    case frontLeft, frontRight, frontCenter, lowFrequency
    case rearLeft, rearRight, rearCenter, sideLeft, sideRight
}

extension StreamFormat {
    /// The speakers of the channels, in order: that of WAV and FLAC files (RFC 9639, section
    /// 9.1.3).
    package var speakers: [Speaker] {
        switch channelCount {
        case 1: [.frontCenter]
        case 2: [.frontLeft, .frontRight]
        case 3: [.frontLeft, .frontRight, .frontCenter]
        case 4: [.frontLeft, .frontRight, .rearLeft, .rearRight]
        case 5: [.frontLeft, .frontRight, .frontCenter, .rearLeft, .rearRight]
        case 6:
            [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight]
        case 7:
            [
                .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearCenter, .sideLeft,
                .sideRight,
            ]
        default:
            [
                .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight,
                .sideLeft, .sideRight,
            ]
        }
    }
}

/// Converts frames between numbers of channels without changing the loudness.
///
/// Mono goes unchanged to both front speakers; stereo becomes the mean. A missing speaker is
/// replaced by its neighbours, 3 dB softer (ITU-R BS.775-4, annex 4), and the low-frequency channel
/// is dropped. If a channel might clip, all are made softer.
package struct ChannelMix: Sendable {
    private let inputCount: Int
    /// The weight of each input in each output.
    private let factors: [[Float]]

    package init(from input: StreamFormat, to output: StreamFormat) {
        inputCount = input.channelCount
        let (sources, targets) = (input.speakers, output.speakers)
        var factors = targets.map { _ in [Float](repeating: 0, count: sources.count) }
        for (index, source) in sources.enumerated() {
            let places =
                sources.count == 1 && targets.count > 1
                ? [(.frontLeft, 1), (.frontRight, 1)] : Self.places(of: source, in: targets)
            for (speaker, factor) in places {
                guard let target = targets.firstIndex(of: speaker) else { continue }
                factors[target][index] += factor
            }
        }
        let loudest = factors.map { $0.reduce(0, +) }.max() ?? 1
        self.factors = loudest > 1 ? factors.map { row in row.map { $0 / loudest } } : factors
    }

    /// The frames of `samples`, mixed.
    package func mixed(_ samples: [Float]) -> [Float] {
        var result: [Float] = []
        result.reserveCapacity(samples.count / inputCount * factors.count)
        for start in stride(from: 0, to: samples.count - inputCount + 1, by: inputCount) {
            for row in factors {
                var sum: Float = 0
                for channel in 0..<inputCount { sum += samples[start + channel] * row[channel] }
                result.append(sum)
            }
        }
        return result
    }

    /// The speakers of `targets` that stand for a speaker, with their weights.
    private static func places(
        of speaker: Speaker, in targets: [Speaker]
    ) -> [(Speaker, factor: Float)] {
        if targets.contains(speaker) { return [(speaker, 1)] }
        let half = Float(0.5).squareRoot()
        let neighbours: [Speaker]
        switch speaker {
        case .lowFrequency: return []
        case .frontLeft, .frontRight: neighbours = [.frontCenter]
        case .frontCenter: neighbours = [.frontLeft, .frontRight]
        case .rearLeft: neighbours = targets.contains(.sideLeft) ? [.sideLeft] : [.frontLeft]
        case .rearRight: neighbours = targets.contains(.sideRight) ? [.sideRight] : [.frontRight]
        case .sideLeft: neighbours = targets.contains(.rearLeft) ? [.rearLeft] : [.frontLeft]
        case .sideRight: neighbours = targets.contains(.rearRight) ? [.rearRight] : [.frontRight]
        case .rearCenter:
            let sides: [Speaker] =
                targets.contains(.rearLeft) ? [.rearLeft, .rearRight] : [.sideLeft, .sideRight]
            neighbours = targets.contains(sides[0]) ? sides : [.frontLeft, .frontRight]
        }
        return neighbours.flatMap { place in
            places(of: place, in: targets).map { ($0, $1 * half) }
        }
    }
}
