/// How loud each frame of the stream is sent: one factor, or a straight way from one to another, so
/// that a change makes no click. Owned by the output thread.
package struct VolumeRamp: Equatable, Sendable {
    /// How long a change takes.
    package static let milliseconds = 20

    private var origin: Float
    /// The factor behind the ramp, 0 for silence to 1 for the samples as they are.
    package private(set) var target: Float
    private var start = 0
    private var length = 0

    /// Makes a ramp that always gives `factor`.
    package init(_ factor: Float) {
        origin = factor
        target = factor
    }

    /// Goes from the factor at `frame` to `factor` within `length` frames.
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

    /// Whether every frame from `frame` on goes out as it is.
    @_noLocks
    package func isUnity(from frame: Int) -> Bool { target == 1 && frame >= start + length }

    /// Writes `source`, frames of `format` of which the first is `frame`, scaled into `target`, which
    /// has as much room.
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
                // To the nearest; the factor is at most 1, so that it stays in range.
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
