/// The volume of a source over its own time: unchanged up to the first ramp, and after each ramp
/// constant until the next.
package struct VolumeEnvelope: Hashable, Sendable {
    /// A linear change of the volume; at once if it takes no time.
    package struct Ramp: Hashable, Sendable {
        /// The time at which it starts, on the source's timeline.
        package var start: CMTime
        /// The time at which it ends and `target` applies.
        package var end: CMTime
        /// The factor at the start, from 0, silence, to 1, unchanged samples.
        package var origin: Float
        /// The factor at the end and after it.
        package var target: Float

        package init(start: CMTime, end: CMTime, origin: Float, target: Float) {
            self.start = start
            self.end = end
            self.origin = origin
            self.target = target
        }
    }

    /// The ramps, in order of their starts.
    package private(set) var ramps: [Ramp] = []

    /// Creates an envelope that changes nothing.
    package init() {}

    /// Adds a ramp. It ends one that is under way where it starts.
    package mutating func add(_ ramp: Ramp) {
        let index = ramps.firstIndex { $0.start > ramp.start } ?? ramps.count
        ramps.insert(ramp, at: index)
    }

    /// The factor at a time in seconds.
    package func factor(at seconds: Double) -> Float {
        guard let ramp = ramps.last(where: { $0.start.seconds <= seconds }) else { return 1 }
        let length = ramp.end.seconds - ramp.start.seconds
        let fraction = length > 0 ? min(1, (seconds - ramp.start.seconds) / length) : 1
        return ramp.origin + (ramp.target - ramp.origin) * Float(fraction)
    }

    /// Scales `samples`, which begin with `frame` of the source. Integers are rounded.
    package func apply(to samples: inout SampleBuffer, from frame: Int, format: StreamFormat) {
        guard !ramps.isEmpty else { return }
        let (channels, rate) = (format.channelCount, Double(format.sampleRate))
        samples.mapInPlace(0..<samples.count) { index, value in
            value * factor(at: Double(frame + index / channels) / rate)
        }
    }
}
