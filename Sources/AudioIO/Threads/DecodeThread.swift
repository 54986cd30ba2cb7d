package import Playback
import Synchronization

/// What the decode thread tells; the handler runs on it.
package enum DecodeReport: Sendable {
    /// The item is open and its samples begin to flow. Time to enqueue the next.
    case opened(ItemID, MediaDescription)
    /// The item cannot be played, or not to its end.
    case failed(ItemID, MediaError)
    /// The item is decoded to its end; `wasOpened` is false for one that never began.
    case ended(ItemID)
}

/// Takes items one after the other and fills the ring with their samples.
package final class DecodeControl: Sendable {
    fileprivate enum Request: Sendable {
        case play(QueueItem)
        case finish
        case stop
    }

    private let requests = Mutex<[Request]>([])
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    /// Plays `item` behind the ones before it, without a gap.
    package func enqueue(_ item: QueueItem) { add(.play(item)) }

    /// Says that nothing will be enqueued any more.
    package func finish() { add(.finish) }

    /// Ends the thread as soon as it looks.
    package func stop() {
        requests.withLock { $0 = [.stop] }
        signals.decode.wake()
    }

    fileprivate var isStopped: Bool {
        requests.withLock { requests in
            if case .stop = requests.first { true } else { false }
        }
    }
    fileprivate var isEmpty: Bool { requests.withLock(\.isEmpty) }

    fileprivate func next() -> Request? {
        requests.withLock { requests in
            if case .stop = requests.first { return .stop }
            return requests.isEmpty ? nil : requests.removeFirst()
        }
    }

    private func add(_ request: Request) {
        requests.withLock { requests in
            if case .stop = requests.first { return }
            requests.append(request)
        }
        signals.decode.wake()
    }
}

/// The decode thread's loop.
struct DecodeThread: ~Copyable {
    /// Decoded ahead of the device.
    static let aheadMilliseconds = 5000
    /// Kept behind it, for what a flush gives back: more than any buffer we ask for.
    static let historyMilliseconds = 2500

    let control: DecodeControl
    let signals: PipelineSignals
    let timeline: SharedTimeline
    /// Chooses the stream's format when the first item is open.
    let chooseFormat: (StreamFormat) -> StreamFormat
    /// Takes the ring's other end when the format is known.
    let start: (StreamFormat, consuming FrameConsumer) -> Void
    let report: (DecodeReport) -> Void

    private var loop: DecodeLoop?

    init(
        control: DecodeControl, signals: PipelineSignals, timeline: SharedTimeline,
        chooseFormat: @escaping (StreamFormat) -> StreamFormat,
        start: @escaping (StreamFormat, consuming FrameConsumer) -> Void,
        report: @escaping (DecodeReport) -> Void
    ) {
        self.control = control
        self.signals = signals
        self.timeline = timeline
        self.chooseFormat = chooseFormat
        self.start = start
        self.report = report
    }

    /// Runs until `stop`, or until the last item is decoded.
    mutating func run() {
        while true {
            switch control.next() {
            case .play(let item): play(item)
            case .finish:
                loop?.finish()
                signals.output.wake()
                return
            case .stop: return
            case nil: signals.decode.wait { !control.isEmpty }
            }
        }
    }

    private mutating func play(_ item: QueueItem) {
        let decoder: Mpg123Decoder
        do {
            decoder = try Mpg123Decoder(item.source)
        } catch {
            report(.failed(item.id, error))
            report(.ended(item.id))
            return
        }
        if loop == nil { loop = makeLoop(for: decoder.format) }
        timeline.begin(item.id, at: loop?.position ?? 0)
        report(.opened(item.id, decoder.description))
        signals.clock.wake()
        loop?.play(item.id, from: decoder)
        fill()
    }

    private mutating func fill() {
        while let step = loop?.step() {
            switch step {
            case .advanced:
                signals.output.notify()
            case .full:
                guard !control.isStopped else { return }
                signals.decode.wait { (loop?.room ?? 0) > 0 || control.isStopped }
            case .finished(let item, let error):
                // Every sample of the item is in the ring by now.
                timeline.end(at: loop?.position ?? 0)
                signals.clock.wake()
                if let error { report(.failed(item, error)) }
                report(.ended(item))
                return
            case .starved:
                return
            }
            if control.isStopped { return }
        }
    }

    private func makeLoop(for first: StreamFormat) -> DecodeLoop {
        let format = chooseFormat(first)
        let history = format.frames(milliseconds: Self.historyMilliseconds)
        let ring = FrameRing(
            format: format, capacity: history + format.frames(milliseconds: Self.aheadMilliseconds),
            history: history)
        start(format, ring.consumer)
        return DecodeLoop(frames: ring.producer, format: format) { input, output in
            Syn123Converter(from: input, to: output)
        }
    }
}
