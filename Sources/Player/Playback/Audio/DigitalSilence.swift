/// Counts the frames of exact digital silence at the end of what was given to a device, before the
/// user's volume and mute. Owned by the output thread.
///
/// A block counts as a whole: one sample that is not zero, in any channel, ends the silence.
package struct SilenceCounter: Sendable {
    /// The first frame of the silence; nil while there is sound.
    private var start: Int?
    /// The number of frames that were silent without an interruption.
    package private(set) var length = 0

    package init() {}

    /// Counts `block`, frames of `format` that begin with `frame`, which may be one that was given
    /// to the device before and was not heard. Reads no further than to the first sample of sound.
    @_noLocks
    package mutating func count(
        _ block: UnsafeRawBufferPointer, from frame: Int, format: StreamFormat
    ) {
        guard unsafe Self.isSilent(block, format.sampleFormat) else {
            start = nil
            length = 0
            return
        }
        var first = frame
        if let start, start < frame { first = start }
        start = first
        length = frame + block.count / format.bytesPerFrame - first
    }

    @_noLocks
    private static func isSilent(
        _ block: UnsafeRawBufferPointer, _ sampleFormat: SampleFormat
    ) -> Bool {
        guard let start = block.baseAddress else { return true }
        var index = 0
        switch sampleFormat {
        case .int16:
            let samples = unsafe start.assumingMemoryBound(to: Int16.self)
            while index < block.count / 2 {
                if unsafe samples[index] != 0 { return false }
                index += 1
            }
        case .float32:
            let samples = unsafe start.assumingMemoryBound(to: Float.self)
            while index < block.count / 4 {
                // A comparison may count the least samples as zero, by a setting of the processor.
                if unsafe samples[index].bitPattern << 1 != 0 { return false }
                index += 1
            }
        }
        return true
    }
}

/// Notices sound that has been digital silence for a long time in the background, where it uses the
/// `audio` mode and nobody hears anything.
package struct DigitalSilence: Hashable, Sendable {
    /// The time in nanoseconds after which silence counts as long.
    package static let limit: Int64 = 600_000_000_000

    /// The time since which the sound has been silence in the background, in nanoseconds of
    /// CLOCK_MONOTONIC; nil if that is not long ago.
    package private(set) var since: Int64?

    package init() {}

    /// Applies the facts at `hostTime`, in nanoseconds of CLOCK_MONOTONIC. Returns true if `since`
    /// has become nil, or no longer is.
    /// - Parameters:
    ///   - duration: the length of the silence at the end of what plays, in nanoseconds; 0 if
    ///     nothing plays.
    ///   - backgroundSince: the time since which the host is in the background; nil if it is not.
    package mutating func update(
        duration: Int64, backgroundSince: Int64?, at hostTime: Int64
    ) -> Bool {
        let wasLong = since != nil
        since = nil
        if let backgroundSince, duration > 0 {
            let start = max(hostTime - duration, backgroundSince)
            if hostTime - start >= Self.limit { since = start }
        }
        return (since != nil) != wasLong
    }
}
