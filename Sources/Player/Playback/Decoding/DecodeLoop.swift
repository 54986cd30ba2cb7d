/// Moves samples from a decoder into the ring, in small steps. The decode thread calls `step` until
/// it returns `.starved` or `.full`; a test calls it by hand.
package struct DecodeLoop: ~Copyable {
    package enum Step: Equatable, Sendable {
        /// There is more to do now.
        case advanced
        /// The ring is full: call again when the output has taken frames.
        case full
        /// The current passage is decoded; `error` is set if that ended early. With a crossfade its
        /// last frames are held back: `play` mixes them with the next passage, `playOut` does not.
        case finished(error: MediaError?)
        /// There is nothing to play: call `play`, `playOut` or `finish`.
        case starved
    }

    /// Makes the converters for a passage.
    package struct Converters {
        var resampler: (_ from: StreamFormat, _ to: StreamFormat) -> any SampleConverter
        var stretcher:
            (_ format: StreamFormat, _ rate: Double, _ pitch: Double) -> any SampleConverter

        package init(
            resampler: @escaping (StreamFormat, StreamFormat) -> any SampleConverter,
            stretcher: @escaping (StreamFormat, Double, Double) -> any SampleConverter
        ) {
            self.resampler = resampler
            self.stretcher = stretcher
        }
    }

    private enum Stage {
        case idle
        case reading
        /// The decoder is done, because of `error` or at its end; the converters may still hold
        /// frames.
        case flushing(MediaError?)
        case ended(MediaError?)
    }

    private let format: StreamFormat
    private let converters: Converters
    private var frames: FrameProducer
    private var decoder: (any AudioDecoder)?
    private var resampler: (input: StreamFormat, any SampleConverter)?
    private var stretcher: (any SampleConverter)?
    private var shape = PassageShape()
    private var crossfader: Crossfader
    private var stage = Stage.idle
    private var decoded = SampleBuffer()
    /// The number of the decoder's frames that still belong to the passage; nil for all.
    private var remaining: Int?
    /// The decoder's next frame, counted from the item's start.
    private var sourcePosition = 0
    /// The number of frames of the passage that the converters have returned.
    private var shaped = 0
    /// The samples to write into the ring, and the number of them that are written.
    private var pending: SampleBuffer
    private var written = 0

    /// Creates a loop that fills `frames` with samples of `format`.
    package init(
        frames: consuming FrameProducer, format: StreamFormat, converters: Converters
    ) {
        self.frames = frames
        self.format = format
        self.converters = converters
        pending = SampleBuffer(format.sampleFormat)
        crossfader = Crossfader(format: format)
    }

    /// The position of the next frame to write into the ring.
    package var position: Int { frames.position }
    package var room: Int { frames.room }
    /// True if the output has taken any frames yet.
    package var isConsumed: Bool { frames.isConsumed }
    /// True if the next `step` reads from the decoder.
    package var readsNext: Bool {
        if case .reading = stage { written == pending.count } else { false }
    }
    /// True if frames at the end of the last passage are held back.
    package var holdsBack: Bool { crossfader.heldFrames > 0 }
    /// True if the last passage faded out before the item's end.
    package var hasFadedOut: Bool { shape.fadeOut.map { shaped >= $0 } ?? false }

    /// Begins a passage; the one before must be finished. Returns its position in the stream, after
    /// the frames held back from the one before that do not overlap.
    package mutating func play(_ decoder: any AudioDecoder, shape: PassageShape) -> Int {
        self.decoder = decoder
        self.shape = shape
        remaining = shape.limit
        sourcePosition = decoder.position
        shaped = 0
        resampler = nil
        let isPlain = shape.rate == 1 && shape.pitch == 0
        stretcher = isPlain ? nil : converters.stretcher(format, shape.rate, shape.pitch)
        stage = .reading
        frames.resume()
        push(crossfader.begin(overlap: shape.crossfade, within: shape.frameCount))
        let start = position + (pending.count - written) / format.channelCount
        crossfader.mark(at: start, oldest: position - frames.capacity)
        return start
    }

    /// Releases the frames held back from the last passage, since nothing follows it.
    package mutating func playOut() { push(crossfader.playOut()) }

    /// Announces that nothing follows for now.
    package mutating func finish() { frames.finish() }

    /// Removes everything from `position` on, and forgets the passages that began there. The output
    /// must be stopped meanwhile, at `position` or before it. Unless this is a jump away from
    /// there, the frames that a crossfade took from the passage that ends there are held back
    /// again. Also revokes `finish`.
    package mutating func cut(at position: Int, isJump: Bool) {
        // Earlier samples that are still waiting for room must be kept.
        let kept = max(0, position - frames.position) * format.channelCount
        pending = pending[written..<written + kept]
        written = 0
        frames.truncate(to: min(position, frames.position))
        frames.resume()
        crossfader.cut(at: position, isJump: isJump)
        (decoder, resampler, stretcher) = (nil, nil, nil)
        stage = .idle
    }

    package mutating func step() -> Step {
        if written < pending.count { return writePending() }
        switch stage {
        case .idle:
            return .starved
        case .reading:
            read()
        case .flushing(let error):
            flush()
            stage = .ended(error)
        case .ended(let error):
            (decoder, resampler, stretcher) = (nil, nil, nil)
            stage = .idle
            return .finished(error: error)
        }
        return .advanced
    }

    private mutating func writePending() -> Step {
        let samples = pending
        let start = written * format.sampleFormat.byteCount
        let count = unsafe samples.withUnsafeBytes { bytes in
            unsafe frames.write(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        written += count * format.channelCount
        return count == 0 ? .full : .advanced
    }

    private mutating func push(_ samples: SampleBuffer) {
        if written == pending.count {
            pending.removeAll(for: format.sampleFormat)
            written = 0
        }
        pending.append(samples)
    }

    private mutating func read() {
        guard let decoder else { return }
        // What lies beyond the limit is not decoded: it may be damaged.
        if let remaining, remaining <= 0 {
            stage = .flushing(nil)
            return
        }
        let first = sourcePosition
        do {
            try decoder.read(into: &decoded)
        } catch {
            stage = .flushing(error)
            return
        }
        let input = decoder.format
        sourcePosition += decoded.count / input.channelCount
        if let limit = remaining {
            let most = limit * input.channelCount
            if decoded.count > most { decoded.removeLast(decoded.count - most) }
            remaining = limit - decoded.count / input.channelCount
        }
        guard !decoded.isEmpty else {
            stage = .flushing(nil)
            return
        }
        shape.volume.apply(to: &decoded, from: first, format: input)
        if let resampler, resampler.input != input {
            // The format changes within the item: output what the old converter holds first.
            finish(resampler.1)
            self.resampler = nil
        }
        resample(decoded, of: input)
    }

    private mutating func resample(_ samples: SampleBuffer, of input: StreamFormat) {
        guard input != format else { return stretch(samples) }
        guard !input.differsInSamplesOnly(from: format) else {
            return stretch(samples.converted(to: format.sampleFormat))
        }
        let converter = resampler?.1 ?? converters.resampler(input, format)
        resampler = (input, converter)
        var converted = SampleBuffer(format.sampleFormat)
        converter.convert(samples, into: &converted)
        stretch(converted)
    }

    private mutating func stretch(_ samples: SampleBuffer) {
        guard let stretcher else { return shapeOut(samples) }
        var stretched = SampleBuffer(format.sampleFormat)
        stretcher.convert(samples, into: &stretched)
        shapeOut(stretched)
    }

    private mutating func finish(_ resampler: any SampleConverter) {
        var rest = SampleBuffer(format.sampleFormat)
        resampler.finish(into: &rest)
        stretch(rest)
    }

    private mutating func flush() {
        if let resampler { finish(resampler.1) }
        guard let stretcher else { return }
        var rest = SampleBuffer(format.sampleFormat)
        stretcher.finish(into: &rest)
        shapeOut(rest)
    }

    /// Applies the passage's fades, and passes the samples to the crossfader.
    private mutating func shapeOut(_ samples: SampleBuffer) {
        var samples = samples
        if let length = shape.fadeIn, shaped < length {
            let (channels, first) = (format.channelCount, shaped)
            let count = min(samples.count, (length - shaped) * channels)
            samples.mapInPlace(0..<count) { index, value in
                Float(Double(value) * (Double(first + index / channels) / Double(length)))
            }
        }
        guard let length = shape.fadeOut else {
            shaped += samples.count / format.channelCount
            return push(crossfader.pass(samples))
        }
        let (channels, first) = (format.channelCount, shaped)
        var faded = samples.prefix(max(0, length - shaped) * channels)
        faded.mapInPlace(0..<faded.count) { index, value in
            let fraction = Double(first + index / channels) / Double(length)
            return Float(Double(value) * (1 - fraction))
        }
        shaped += faded.count / channels
        push(crossfader.pass(faded))
        if shaped >= length { stage = .flushing(nil) }
    }
}

extension StreamFormat {
    /// True if it differs from `other` in the sample format only.
    fileprivate func differsInSamplesOnly(from other: StreamFormat) -> Bool {
        sampleRate == other.sampleRate && channelCount == other.channelCount
    }
}

/// The shape that a decode loop gives a passage, in frames at the stream's rate unless stated
/// otherwise.
package struct PassageShape: Equatable, Sendable {
    /// The most frames to play, at the decoder's own rate; nil to play to the item's end.
    package var limit: Int?
    /// Seconds of the item per second.
    package var rate = 1.0
    /// The change of pitch in cents.
    package var pitch = 0.0
    /// The number of frames over which it fades in; nil for no fade-in.
    package var fadeIn: Int?
    /// The number of frames within which it fades out and ends; nil for no fade-out.
    package var fadeOut: Int?
    /// The number of frames by which it overlaps the passages before and after it.
    package var crossfade = 0
    /// The factors over the item's own time.
    package var volume = VolumeEnvelope()
    /// The passage's length, as far as known.
    package var frameCount: Int?

    package init() {}
}
