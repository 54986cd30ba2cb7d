/// The factor for each frame of the stream: constant, or a linear ramp between two factors, so that
/// a change makes no click. Owned by the output thread.
package struct VolumeRamp: Equatable, Sendable {
    /// The length of a change in milliseconds.
    package static let milliseconds = 20

    private var origin: Float
    /// The factor after the ramp, from 0, silence, to 1, unchanged samples.
    package private(set) var target: Float
    private var start = 0
    private var length = 0

    /// Creates a constant ramp.
    package init(_ factor: Float) {
        origin = factor
        target = factor
    }

    /// Ramps from the factor at `frame` to `factor` within `length` frames.
    @_noLocks
    package mutating func turn(to factor: Float, at frame: Int, length: Int) {
        origin = self.factor(at: frame)
        target = factor
        start = frame
        self.length = length
    }

    /// The factor of `frame`.
    @_noLocks
    package func factor(at frame: Int) -> Float {
        if frame >= start + length { return target }
        if frame <= start { return origin }
        return origin + (target - origin) * (Float(frame - start) / Float(length))
    }

    /// True if all frames from `frame` on are unchanged.
    @_noLocks
    package func isUnity(from frame: Int) -> Bool { target == 1 && frame >= start + length }

    /// Writes `source`, frames of `format` beginning with `frame`, scaled into `target`, which is
    /// of the same size.
    @_noLocks
    package func apply(
        to source: UnsafeRawBufferPointer, from frame: Int, format: StreamFormat,
        into target: UnsafeMutableRawPointer
    ) {
        guard let start = source.baseAddress else { return }
        switch format.sampleFormat {
        case .int16:
            unsafe apply(
                to: UnsafeBufferPointer(
                    start: start.assumingMemoryBound(to: Int16.self), count: source.count / 2),
                from: frame, format.channelCount,
                into: target.assumingMemoryBound(to: Int16.self))
        case .float32:
            unsafe apply(
                to: UnsafeBufferPointer(
                    start: start.assumingMemoryBound(to: Float.self), count: source.count / 4),
                from: frame, format.channelCount,
                into: target.assumingMemoryBound(to: Float.self))
        }
    }

    @_noLocks
    private func apply(
        to source: UnsafeBufferPointer<Int16>, from frame: Int, _ channelCount: Int,
        into target: UnsafeMutablePointer<Int16>
    ) {
        var index = 0
        var frame = frame
        while index < source.count {
            let factor = factor(at: frame)
            for channel in 0..<channelCount {
                let scaled = unsafe Float(source[index + channel]) * factor
                // Rounded to the nearest; the factor is at most 1, so the value stays in range.
                unsafe target[index + channel] = Int16(scaled < 0 ? scaled - 0.5 : scaled + 0.5)
            }
            index += channelCount
            frame += 1
        }
    }

    @_noLocks
    private func apply(
        to source: UnsafeBufferPointer<Float>, from frame: Int, _ channelCount: Int,
        into target: UnsafeMutablePointer<Float>
    ) {
        var index = 0
        var frame = frame
        while index < source.count {
            let factor = factor(at: frame)
            for channel in 0..<channelCount {
                unsafe target[index + channel] = source[index + channel] * factor
            }
            index += channelCount
            frame += 1
        }
    }
}
