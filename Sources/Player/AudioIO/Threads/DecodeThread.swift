import Synchronization
import UndersongBase
import UndersongPlayback

/// The decode thread's loop: decodes passage after passage into the ring, long before they are
/// heard, and replaces what is there when the requests change.
struct DecodeThread: ~Copyable {
    /// The lead of decoding over the device.
    static let readAheadMilliseconds = 5000
    /// The length of sound to keep after the device has accepted it, for frames that a flush
    /// returns and for those not heard when a server is lost: more than any buffer that is
    /// requested, plus what is on its way there and what counts as not heard.
    static let historyMilliseconds = 5000
    /// The length of sound that the ring must contain before the output begins, or continues after
    /// a change.
    static let firstMilliseconds = 200

    /// The nanoseconds to wait for the output's first write.
    static let startDeadline: Int64 = 50_000_000

    /// The ways to files and to what is known of them.
    struct Media: Sendable {
        let indexer: MediaIndexer
        /// Remembers how loud files without ReplayGain tags are; nil if nothing does.
        var loudness: (any LoudnessMemory)?
        /// The way to the network; nil if there is none.
        var network: (any NetworkStreams)?
    }

    let control: DecodeControl
    let gate: SpliceGate
    let signals: PipelineSignals
    let timeline: SharedTimeline
    let media: Media
    let hostClock: any HostClock
    /// The way to the network; nil if there is none.
    let network: NetworkAccess?
    /// True to round samples that have more bits than the stream, since no other stream can take
    /// them.
    let allowsRounding: Bool
    /// Chooses the stream's format once the first item is open.
    let chooseFormat: (StreamFormat) -> StreamFormat
    /// Receives the other end of the ring once the format is known.
    let start: (StreamFormat, consuming FrameConsumer) -> Void
    let report: (DecodeReport) -> Void

    private var loop: DecodeLoop?
    /// The bytes of the passage being decoded.
    private var supply = ByteSupply()
    private var format = StreamFormat(sampleRate: 44100, channelCount: 2)
    /// The passage being decoded.
    private var passage: Passage?
    private var isFinishing = false
    /// True if the last passage ends before its item does.
    private var isStopping = false
    /// True if this thread has already yielded to those that the first sound waits for.
    private var hasYielded = false

    init(
        _ channels: PipelineChannels, _ media: Media, allowsRounding: Bool,
        chooseFormat: @escaping (StreamFormat) -> StreamFormat,
        start: @escaping (StreamFormat, consuming FrameConsumer) -> Void,
        report: @escaping (DecodeReport) -> Void
    ) {
        let (control, signals) = (channels.decode, channels.signals)
        self.control = control
        self.signals = signals
        self.media = media
        gate = channels.gate
        timeline = channels.timeline
        hostClock = channels.hostClock
        network = media.network.map { network in
            NetworkAccess(
                network, waiter: signals.decode, isInterrupted: { control.isInterrupted },
                setWaiting: { signals.setStarved($0) })
        }
        self.allowsRounding = allowsRounding
        self.chooseFormat = chooseFormat
        self.start = start
        self.report = report
    }

    /// Runs until `stop`.
    mutating func run() {
        while !control.isStopped {
            if let (cut, request) = control.popChange() {
                change(from: cut, to: request)
            } else if passage != nil, loop?.readsNext == true, !supply.suffices() {
                waitForBytes()
            } else if passage != nil || isFinishing {
                step()
            } else if let request = control.popRequest() {
                perform(request)
            } else {
                signals.decode.wait { control.hasRequest || control.isStopped }
            }
        }
    }

    // MARK: One after the other

    private mutating func perform(_ request: DecodeControl.Request) {
        switch request {
        case .play(let next):
            guard let opened = open(next, at: next.start ?? next.item.start) else { return }
            begin(next, opened, isJump: false)
        case .finish:
            loop?.playOut()
            isFinishing = true
        }
    }

    /// Waits for the bytes of the next steps. What waits is this loop rather than a decoder in the
    /// middle of a frame, so that it can do something else instead.
    private mutating func waitForBytes() {
        signals.setStarved(true)
        supply.beginWaiting()
        let (awaited, control) = (supply, control)
        signals.decode.wait {
            awaited.isSufficient || control.hasChange || control.isStopped
        }
        signals.setStarved(false)
        if supply.suffices() { report(.supplied) }
    }

    private mutating func step() {
        switch loop?.step() {
        case .advanced:
            signals.output.notify()
            supply.advanced(to: loop?.position ?? 0, sampleRate: format.sampleRate)
            if let title = supply.newTitle() { report(title) }
            if !hasYielded { yieldToStart() }
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

    /// Reports a title at the place that is decoded next.
    private mutating func report(_ title: String) {
        guard let item = passage?.item.id, let position = loop?.position,
            let time = timeline.current.time(of: item, at: position, sampleRate: format.sampleRate)
        else { return }
        report(.titled(title, at: time))
    }

    /// Waits for the output's first write once there is enough for it. Decoding further, which has
    /// a high priority, would keep a processor from those that the first sound waits for: the
    /// connecting thread and the sound server.
    private mutating func yieldToStart() {
        guard let position = loop?.position,
            position >= format.frames(milliseconds: Self.firstMilliseconds)
        else { return }
        hasYielded = true
        let deadline = hostClock.now + Self.startDeadline
        func isDone() -> Bool {
            (loop?.isConsumed ?? true) || control.hasChange || control.isStopped
                || hostClock.now >= deadline
        }
        // An earlier wake-up may end a wait at once.
        while !isDone() { signals.decode.wait(until: deadline, unless: isDone) }
    }

    private mutating func endPassage(_ error: MediaError?) {
        guard let ended = passage.take() else { return }
        control.setPassage(nil)
        // Frames held back for a crossfade still belong to it.
        if loop?.holdsBack != true { endSegment() }
        if let error { report(.failed(ended, error)) }
        report(.ended(ended.id, wasOpened: true))
    }

    /// Ends the last passage, all of whose samples are in the ring by now.
    private mutating func endSegment() {
        let position = loop?.position ?? 0
        let isComplete = loop?.hasFadedOut != true && !isStopping
        timeline.change { timeline in
            if timeline.last?.end == nil { timeline.end(at: position, isComplete: isComplete) }
        }
        signals.clock.wake()
    }

    // MARK: Changes

    /// Replaces everything from `cut` on by `request`. Whatever takes time is done before the
    /// output is stopped.
    private mutating func change(from cut: StreamCut, to request: DecodeControl.Request) {
        var frame = Int.min
        if case .after(let id) = cut {
            // If the passage is still open, nothing that follows it is in the stream yet.
            if let segment = timeline.current[id], segment.end == nil {
                return control.requeue(request)
            }
            frame = timeline.current[id]?.end ?? Int.min
        }
        guard case .play(let next) = request else { return replace(from: frame, by: nil, nil) }
        var opened: OpenedItem?
        if let start = next.start {
            opened = open(next, at: start)
            guard opened != nil else {
                control.setPassage(passage?.id)
                return control.restore(cut)
            }
        }
        replace(from: frame, by: next, opened)
    }

    private mutating func replace(from frame: Int, by next: Passage?, _ opened: OpenedItem?) {
        var at = 0
        // Before the stream has begun, there is no output to stop.
        let hasOutput = loop != nil
        if hasOutput {
            let isSought = opened != nil
            guard
                let stand = gate.close(
                    before: frame, isJump: isSought, unless: { control.isStopped })
            else { return }
            at = max(stand, frame)
        }
        // If some of what follows was heard already, that passage is left by a jump.
        let isJump = at != frame
        let heard = next.flatMap {
            timeline.current.time(of: $0.item.id, at: at, sampleRate: format.sampleRate)
        }
        let begun = next.flatMap {
            timeline.current.time(ofThoseReplacedBy: $0, at: at, sampleRate: format.sampleRate)
        }
        timeline.change { $0.cut(at: at) }
        loop?.cut(at: at, isJump: isJump)
        // The passage before may have lent its end to a crossfade that is now cancelled.
        if loop?.holdsBack == true { timeline.change { $0.reopen(at: at) } }
        passage = nil
        isFinishing = false
        let ready = begun == nil ? opened : nil
        // The output does not wait for the network.
        let isWaiting = next != nil && ready == nil && next?.item.source.isRemote == true
        if hasOutput, isWaiting { gate.reopen() }
        if let next, let opened = ready ?? open(next, at: begun ?? heard) {
            begin(next, opened, isJump: isJump)
        } else if isWaiting, control.isInterrupted {
            return
        } else {
            loop?.playOut()
            isFinishing = true
        }
        fillFirst(from: at)
        if hasOutput, !isWaiting { gate.reopen() }
        signals.clock.wake()
    }

    /// Decodes what the output needs to continue without a gap.
    private mutating func fillFirst(from position: Int) {
        let wanted = position + format.frames(milliseconds: Self.firstMilliseconds)
        while passage != nil || isFinishing, (loop?.position ?? wanted) < wanted,
            (loop?.room ?? 0) > 0, loop?.readsNext != true || supply.suffices()
        {
            step()
        }
    }

    // MARK: Passages

    /// Opens an item and prepares its samples from `start` on; nil to start at its end, since it
    /// has been heard. Returns nil, and reports why, if it cannot be played in this stream.
    private func open(_ passage: Passage, at start: CMTime?) -> OpenedItem? {
        control.setPassage(passage.id)
        do throws(MediaError) {
            let opened = try prepare(passage, at: start)
            guard needsWiderStream(opened.decoder) else { return opened }
            var passage = passage
            passage.start = start ?? opened.decoder.description.duration
            report(.needsWiderStream(passage))
            return nil
        } catch {
            // What is not wanted any more has not failed.
            if passage.item.source.isRemote, control.isInterrupted { return nil }
            report(.failed(passage, error))
            report(.ended(passage.id, wasOpened: false))
            return nil
        }
    }

    private func needsWiderStream(_ decoder: any AudioDecoder) -> Bool {
        loop != nil && !allowsRounding
            && format.sampleFormat.widened(by: decoder.format.sampleFormat) != format.sampleFormat
    }

    private func prepare(
        _ passage: Passage, at start: CMTime?
    ) throws(MediaError) -> OpenedItem {
        let item = passage.item
        let file = try MediaFile(item.source, network)
        let decoder = try DecoderRegistry.standard.decoder(for: file)
        var start = start ?? decoder.description.duration
        if passage.isResumed, start >= decoder.description.duration { start = item.start }
        if let end = item.end, start.isNumeric, end < start { start = end }
        if start.isNumeric && start > .zero {
            if let index = media.indexer.index(for: item.source) { decoder.use(index) }
            try decoder.seek(to: decoder.frame(at: start))
        }
        let opened = OpenedItem(
            decoder: decoder, file: file, measuredGain: measuredGain(of: passage, decoder))
        decoder.setGain(passage.settings.factor(of: opened.description.replayGain))
        let hasFrames = try decoder.prime()
        // Seeking to the end is allowed. An item that has nothing else would repeat for ever.
        if start <= item.start && (!hasFrames || item.end.map(decoder.frameCount(to:)) == 0) {
            throw MediaError(
                nothingIn: item.source, from: item.start, of: decoder.description.duration)
        }
        return opened
    }

    /// The measured gain of a passage's file, if it is to be used: the tags have none.
    private func measuredGain(of passage: Passage, _ decoder: any AudioDecoder) -> ReplayGain? {
        guard let loudness = media.loudness, passage.settings.replayGain != .off,
            !decoder.description.replayGain.hasGain,
            case .file(let path) = passage.item.source, let stamp = FileStamp(of: path)
        else { return nil }
        return loudness.measuredGain(of: path, stamp)
    }

    private mutating func begin(_ next: Passage, _ opened: OpenedItem, isJump: Bool) {
        let decoder = opened.decoder
        let signals = signals
        supply = ByteSupply(
            opened.file, decoder.description, speed: next.settings.rate, clock: hostClock,
            silence: { signals.outputSilence })
        control.setPassage(next.id)
        if loop == nil { makeLoop(for: decoder.format) }
        let shape = shape(of: next, decoder)
        let start = loop?.play(decoder, shape: shape) ?? 0
        let origin = CMTime(
            value: Int64(decoder.position), timescale: Int32(decoder.format.sampleRate))
        // Reported before the clock thread can see it: nothing is heard of a passage that is not
        // open.
        report(.opened(next, opened.description))
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
        shape.pitch = settings.pitch
        shape.volume = passage.item.volume
        shape.fadeIn = settings.fadeIn.map { Int($0 * Double(format.sampleRate)) }
        shape.fadeOut = settings.fadeOut.map { Int($0 * Double(format.sampleRate)) }
        shape.crossfade = Int(settings.crossfade * Double(format.sampleRate))
        shape.limit = [passage.item.end, settings.stopTime].compactMap { $0 }.min()
            .map { decoder.frameCount(to: $0) }
        let rate = decoder.format.sampleRate
        let length = decoder.description.duration
        let known = length.isNumeric ? Int(length.seconds * Double(rate)) - decoder.position : nil
        if let count = [shape.limit, known].compactMap({ $0 }).min() {
            shape.frameCount = Int(
                Double(max(0, count)) / settings.rate * Double(format.sampleRate) / Double(rate))
        }
        return shape
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
                stretcher: { SoundTouchStretcher(format: $0, rate: $1, cents: $2) }))
    }
}
