import Playback
import Synchronization

/// The decode thread's loop: brings passage after passage into the ring, long before it is heard,
/// and replaces what is there when the wishes change.
struct DecodeThread: ~Copyable {
    /// Decoded ahead of the device.
    static let readAheadMilliseconds = 5000
    /// Kept behind it, for what a flush gives back, and for what was not heard when a server is lost:
    /// more than any buffer we ask for, what is on its way there and what counts as not heard.
    static let historyMilliseconds = 5000
    /// What has to be in the ring before the output begins, or goes on after a change.
    static let firstMilliseconds = 200

    /// How long the output's first write is waited for.
    static let startDeadline: Int64 = 50_000_000

    let control: DecodeControl
    let gate: SpliceGate
    let signals: PipelineSignals
    let timeline: SharedTimeline
    let indexer: MediaIndexer
    let hostClock: any HostClock
    /// Whether samples that need more bits than the stream's are rounded, since no other stream can
    /// take them.
    let isRounding: Bool
    /// Chooses the stream's format when the first item is open.
    let chooseFormat: (StreamFormat) -> StreamFormat
    /// Takes the ring's other end when the format is known.
    let start: (StreamFormat, consuming FrameConsumer) -> Void
    let report: (DecodeReport) -> Void

    private var loop: DecodeLoop?
    private var format = StreamFormat(sampleRate: 44100, channelCount: 2)
    /// The passage that is being decoded.
    private var passage: Passage?
    private var isFinishing = false
    /// Whether the passage that was begun last ends before its item does.
    private var isStopping = false
    /// Whether what the first sound waits for had its chance to run.
    private var hasMadeWay = false

    init(
        control: DecodeControl, gate: SpliceGate, signals: PipelineSignals,
        timeline: SharedTimeline, indexer: MediaIndexer, hostClock: any HostClock,
        isRounding: Bool, chooseFormat: @escaping (StreamFormat) -> StreamFormat,
        start: @escaping (StreamFormat, consuming FrameConsumer) -> Void,
        report: @escaping (DecodeReport) -> Void
    ) {
        self.control = control
        self.gate = gate
        self.signals = signals
        self.timeline = timeline
        self.indexer = indexer
        self.hostClock = hostClock
        self.isRounding = isRounding
        self.chooseFormat = chooseFormat
        self.start = start
        self.report = report
    }

    /// Runs until `stop`.
    mutating func run() {
        while !control.isStopped {
            if let (cut, request) = control.takeChange() {
                change(from: cut, to: request)
            } else if passage != nil || isFinishing {
                step()
            } else if let request = control.takeRequest() {
                take(request)
            } else {
                signals.decode.wait { control.hasRequest || control.isStopped }
            }
        }
    }

    // MARK: One after the other

    private mutating func take(_ request: DecodeControl.Request) {
        switch request {
        case .play(let next):
            guard let decoder = open(next, at: next.start ?? next.item.start) else { return }
            begin(next, decoder, isJump: false)
        case .finish:
            loop?.playOut()
            isFinishing = true
        }
    }

    private mutating func step() {
        switch loop?.step() {
        case .advanced:
            signals.output.notify()
            if !hasMadeWay { makeWay() }
        case .full:
            signals.decode.wait {
                (loop?.room ?? 0) > 0 || control.hasChange || control.isStopped
            }
        case .finished(let error):
            endPassage(error)
        case .starved, nil:
            guard isFinishing else { return }
            isFinishing = false
            endSegment()
            loop?.finish()
            signals.output.wake()
        }
    }

    /// Waits for the output's first write once there is enough for it: decoding on, which is urgent,
    /// would keep a processor from those that the first sound waits for, which are the thread that
    /// connects and the sound server.
    private mutating func makeWay() {
        guard let position = loop?.position,
            position >= format.frames(milliseconds: Self.firstMilliseconds)
        else { return }
        hasMadeWay = true
        let deadline = hostClock.now + Self.startDeadline
        func isDone() -> Bool {
            (loop?.isConsumed ?? true) || control.hasChange || control.isStopped
                || hostClock.now >= deadline
        }
        // What woke this thread before may let a wait end at once.
        while !isDone() { signals.decode.wait(until: deadline, unless: isDone) }
    }

    private mutating func endPassage(_ error: MediaError?) {
        guard let ended = passage.take() else { return }
        // What is held back for a crossfade still belongs to it.
        if loop?.holdsBack != true { endSegment() }
        if let error { report(.failed(ended, error)) }
        report(.ended(ended.id, wasOpened: true))
    }

    /// Every sample of the passage that was begun last is in the ring by now.
    private mutating func endSegment() {
        let position = loop?.position ?? 0
        let isComplete = loop?.hasFadedOut != true && !isStopping
        timeline.change { timeline in
            if timeline.last?.end == nil { timeline.end(at: position, isComplete: isComplete) }
        }
        signals.clock.wake()
    }

    // MARK: Changes

    /// Replaces everything from `cut` on by `request`. Whatever takes time is done before the output
    /// stands still.
    private mutating func change(from cut: StreamCut, to request: DecodeControl.Request) {
        var frame = Int.min
        if case .after(let id) = cut {
            // Where it is still open, nothing that follows it is in the stream yet.
            if let segment = timeline.current[id], segment.end == nil {
                return control.putBack(request)
            }
            frame = timeline.current[id]?.end ?? Int.min
        }
        guard case .play(let next) = request else { return replace(from: frame, by: nil, nil) }
        var decoder: (any AudioDecoder)?
        if let start = next.start {
            decoder = open(next, at: start)
            guard decoder != nil else { return control.restore(cut) }
        }
        replace(from: frame, by: next, decoder)
    }

    private mutating func replace(
        from frame: Int, by next: Passage?, _ opened: (any AudioDecoder)?
    ) {
        var at = 0
        // Before the stream has begun nobody stands at the gate.
        let hasOutput = loop != nil
        if hasOutput {
            let isSought = opened != nil
            guard
                let stand = gate.close(
                    before: frame, isJump: isSought, unless: { control.isStopped })
            else { return }
            at = max(stand, frame)
        }
        // Where something of what follows was heard already it is left like anything else.
        let isJump = at != frame
        let heard = next.flatMap {
            timeline.current.time(of: $0.item.id, at: at, sampleRate: format.sampleRate)
        }
        let begun = next.flatMap {
            timeline.current.time(ofThoseReplacedBy: $0, at: at, sampleRate: format.sampleRate)
        }
        timeline.change { $0.cut(at: at) }
        loop?.cut(at: at, isJump: isJump)
        // The passage before may have lent its end to a crossfade, which is not to be now.
        if loop?.holdsBack == true { timeline.change { $0.reopen(at: at) } }
        passage = nil
        isFinishing = false
        let ready = begun == nil ? opened : nil
        if let next, let decoder = ready ?? open(next, at: begun ?? heard) {
            begin(next, decoder, isJump: isJump)
        } else {
            loop?.playOut()
            isFinishing = true
        }
        fillFirst(from: at)
        if hasOutput { gate.reopen() }
        signals.clock.wake()
    }

    /// Decodes what the output needs to go on without a gap.
    private mutating func fillFirst(from position: Int) {
        let wanted = position + format.frames(milliseconds: Self.firstMilliseconds)
        while passage != nil || isFinishing, (loop?.position ?? wanted) < wanted,
            (loop?.room ?? 0) > 0
        {
            step()
        }
    }

    // MARK: Passages

    /// Opens an item and has its samples from `start` on ready, nil: those from its end on, since it
    /// has been heard. Nil, and reported, when it cannot be played in this stream.
    private func open(_ passage: Passage, at start: CMTime?) -> (any AudioDecoder)? {
        do throws(MediaError) {
            let decoder = try prepare(passage, at: start)
            guard needsWiderStream(decoder) else { return decoder }
            var passage = passage
            passage.start = start ?? decoder.description.duration
            report(.needsWiderStream(passage))
            return nil
        } catch {
            report(.failed(passage, error))
            report(.ended(passage.id, wasOpened: false))
            return nil
        }
    }

    private func needsWiderStream(_ decoder: any AudioDecoder) -> Bool {
        loop != nil && !isRounding
            && format.sampleFormat.widened(by: decoder.format.sampleFormat) != format.sampleFormat
    }

    private func prepare(
        _ passage: Passage, at start: CMTime?
    ) throws(MediaError) -> any AudioDecoder {
        let item = passage.item
        let decoder = try DecoderRegistry.standard.decoder(for: item.source)
        var start = start ?? decoder.description.duration
        if passage.isResumed, start >= decoder.description.duration { start = item.start }
        if let end = item.end, start.isNumeric, end < start { start = end }
        if start.isNumeric && start > .zero {
            if let index = indexer.index(for: item.source) { decoder.use(index) }
            try decoder.seek(to: Self.frame(of: start, decoder))
        }
        decoder.setGain(passage.settings.factor(of: decoder.description.replayGain))
        let hasFrames = try decoder.prime()
        // Whoever seeks to the end gets there. An item that has nothing else would go round for ever
        // where it is repeated.
        if start <= item.start && (!hasFrames || limit(of: item, decoder) == 0) {
            throw MediaError(
                .noFrames, operation: "play \(item.source.path)",
                reason: "Nothing of it lies between its start and its end")
        }
        return decoder
    }

    private mutating func begin(_ next: Passage, _ decoder: any AudioDecoder, isJump: Bool) {
        if loop == nil { makeLoop(for: decoder.format) }
        let shape = shape(of: next, decoder)
        let start = loop?.play(decoder, shape: shape) ?? 0
        let origin = CMTime(
            value: Int64(decoder.position), timescale: Int32(decoder.format.sampleRate))
        // Before the clock thread can see it: nothing is heard of a passage that is not open.
        report(.opened(next, decoder.description))
        timeline.change { timeline in
            if timeline.last?.end == nil { timeline.end(at: start) }
            timeline.begin(
                Timeline.Segment(
                    passage: next.id, item: next.item.id, start: start, origin: origin,
                    rate: next.settings.rate, isJump: isJump))
        }
        passage = next
        isStopping = next.settings.stopTime != nil
        signals.clock.wake()
    }

    private func shape(of passage: Passage, _ decoder: any AudioDecoder) -> PassageShape {
        let settings = passage.settings
        var shape = PassageShape()
        shape.rate = settings.rate
        shape.fadeOut = settings.fadeOut.map { Int($0 * Double(format.sampleRate)) }
        shape.crossfade = Int(settings.crossfade * Double(format.sampleRate))
        shape.limit = [passage.item.end, settings.stopTime].compactMap { $0 }.min()
            .map { Self.limit(at: $0, decoder) }
        let rate = decoder.format.sampleRate
        let length = decoder.description.duration
        let known = length.isNumeric ? Int(length.seconds * Double(rate)) - decoder.position : nil
        if let count = [shape.limit, known].compactMap({ $0 }).min() {
            shape.frameCount = Int(
                Double(max(0, count)) / settings.rate * Double(format.sampleRate) / Double(rate))
        }
        return shape
    }

    /// The decoder's frames up to the item's own end, nil where the file's end is that.
    private func limit(of item: QueueItem, _ decoder: any AudioDecoder) -> Int? {
        item.end.map { Self.limit(at: $0, decoder) }
    }

    /// The decoder's frames up to `time`.
    private static func limit(at time: CMTime, _ decoder: any AudioDecoder) -> Int {
        max(0, frame(of: time, decoder) - decoder.position)
    }

    private static func frame(of time: CMTime, _ decoder: any AudioDecoder) -> Int {
        let frame = (time.seconds * Double(decoder.format.sampleRate)).rounded()
        return Int(min(max(frame, -1e15), 1e15))
    }

    private mutating func makeLoop(for first: StreamFormat) {
        format = chooseFormat(first)
        let history = format.frames(milliseconds: Self.historyMilliseconds)
        let ring = FrameRing(
            format: format,
            capacity: history + format.frames(milliseconds: Self.readAheadMilliseconds),
            history: history)
        start(format, ring.consumer)
        loop = DecodeLoop(
            frames: ring.producer, format: format,
            converters: DecodeLoop.Converters(
                resampler: { Syn123Converter(from: $0, to: $1) },
                stretcher: { SoundTouchStretcher(format: $0, rate: $1) }))
    }
}
