/// Moves samples from a decoder into the ring, one small step at a time. The decode thread calls
/// `step` until it is `.starved` or `.full`; a test calls it by hand.
package struct DecodeLoop: ~Copyable {
    package enum Step: Equatable, Sendable {
        /// There is more to do at once.
        case advanced
        /// The ring is full: call again when the output has taken some.
        case full
        /// The current item is done; `error` says why when that was before its end.
        case finished(ItemID, error: MediaError?)
        /// There is no item: call `play` or `finish`.
        case starved
    }

    private enum Stage {
        case idle
        case reading
        /// The decoder is done, for `error` or at its end; the converter may hold some frames more.
        case flushing(MediaError?)
        case ended(MediaError?)
    }

    private let format: StreamFormat
    private let makeConverter: (_ from: StreamFormat, _ to: StreamFormat) -> any SampleConverter
    private var frames: FrameProducer
    private var item: ItemID?
    private var decoder: (any AudioDecoder)?
    private var converter: (input: StreamFormat, any SampleConverter)?
    private var stage = Stage.idle
    private var decoded: [Int16] = []
    /// What goes into the ring, and how much of it is there already.
    private var pending: [Int16] = []
    private var written = 0

    /// Makes a loop that fills `frames` with samples of `format`.
    package init(
        frames: consuming FrameProducer, format: StreamFormat,
        makeConverter: @escaping (StreamFormat, StreamFormat) -> any SampleConverter
    ) {
        self.frames = frames
        self.format = format
        self.makeConverter = makeConverter
    }

    /// The position of the next frame to be written into the ring.
    package var position: Int { frames.position }
    package var room: Int { frames.room }

    /// Starts with `item`; the one before must be finished.
    package mutating func play(_ item: ItemID, from decoder: any AudioDecoder) {
        self.item = item
        self.decoder = decoder
        stage = .reading
    }

    /// Says that the last item is done.
    package mutating func finish() { frames.finish() }

    package mutating func step() -> Step {
        guard let item else { return .starved }
        if written < pending.count { return writePending() }
        switch stage {
        case .idle:
            return .starved
        case .reading:
            read()
        case .flushing(let error):
            if let converter = converter?.1 {
                converter.finish(into: &pending)
                written = 0
            }
            converter = nil
            stage = .ended(error)
        case .ended(let error):
            self.item = nil
            decoder = nil
            converter = nil
            stage = .idle
            return .finished(item, error: error)
        }
        return .advanced
    }

    private mutating func writePending() -> Step {
        let samples = pending
        let count = frames.write(samples.span.extracting(droppingFirst: written))
        written += count * format.channelCount
        return count == 0 ? .full : .advanced
    }

    private mutating func read() {
        guard let decoder else { return }
        do {
            try decoder.read(into: &decoded)
        } catch {
            stage = .flushing(error)
            return
        }
        guard !decoded.isEmpty else {
            stage = .flushing(nil)
            return
        }
        let input = decoder.format
        if let converter, converter.input != input {
            // The format changes within the item: what the old converter holds comes first.
            converter.1.finish(into: &pending)
            self.converter = nil
        } else {
            pending.removeAll(keepingCapacity: true)
        }
        append(decoded, of: input)
        written = 0
    }

    private mutating func append(_ samples: [Int16], of input: StreamFormat) {
        guard input != format else {
            pending.append(contentsOf: samples)
            return
        }
        let converter = self.converter?.1 ?? makeConverter(input, format)
        self.converter = (input, converter)
        var converted: [Int16] = []
        converter.convert(samples, into: &converted)
        pending.append(contentsOf: converted)
    }
}
