import UndersongPlayback

/// Returns its blocks one after another, each in its own format, then an error or the end.
final class ScriptedDecoder: AudioDecoder {
    private(set) var format: StreamFormat
    let description: MediaDescription
    private(set) var position = 0
    let undecodable: (count: Int, reason: String)? = nil
    private let blocks: [(samples: [Int16], format: StreamFormat)]
    private var next = 0
    /// Frames of the next block that a seek has skipped.
    private var skipped = 0
    private let failure: MediaError?

    init(_ blocks: [([Int16], StreamFormat)], failure: MediaError? = nil) {
        self.blocks = blocks.map { (samples: $0.0, format: $0.1) }
        self.failure = failure
        format = blocks.first?.1 ?? mono
        description = MediaDescription(
            format: format, encoding: "Scripted", duration: .invalid, isDurationExact: false)
    }

    /// Blocks of mono samples, without any conversion.
    convenience init(_ blocks: [Int16]..., failure: MediaError? = nil) {
        self.init(blocks.map { ($0, mono) }, failure: failure)
    }

    func read(into samples: inout SampleBuffer) throws(MediaError) {
        samples.removeAll(for: format.sampleFormat)
        guard next < blocks.count else {
            if let failure { throw failure }
            return
        }
        let block = blocks[next]
        format = block.format
        let rest = Array(block.samples.dropFirst(skipped * block.format.channelCount))
        samples = SampleBuffer(rest).converted(to: format.sampleFormat)
        next += 1
        skipped = 0
    }

    func prime() -> Bool { next < blocks.count }

    func seek(to frame: Int) {
        position = frame
        next = 0
        skipped = frame
        while next < blocks.count, skipped >= frameCount(of: next) {
            skipped -= frameCount(of: next)
            next += 1
        }
    }

    /// A script's samples are the expected output.
    func setGain(_ factor: Double) {}

    func scan(isCancelled: @escaping @Sendable () -> Bool) -> MediaIndex? {
        MediaIndex(
            offsets: [], step: 0,
            frameCount: blocks.indices.reduce(0) { $0 + frameCount(of: $1) })
    }

    func use(_ index: MediaIndex) {}

    private func frameCount(of block: Int) -> Int {
        blocks[block].samples.count / blocks[block].format.channelCount
    }
}

/// Repeats every sample, but holds the last one back until more arrive or it is finished: delayed,
/// like a resampler.
final class DoublingConverter: SampleConverter {
    private var held: [Int16] = []

    func convert(_ input: SampleBuffer, into output: inout SampleBuffer) {
        let all = held + input.int16
        output = SampleBuffer(all.dropLast().flatMap { [$0, $0] })
        held = all.suffix(1)
    }

    func finish(into output: inout SampleBuffer) {
        output = SampleBuffer(held.flatMap { [$0, $0] })
        held = []
    }
}

/// Records which converters are requested; all of them repeat every sample.
final class ConverterLog {
    private(set) var made: [String] = []

    var converters: DecodeLoop.Converters {
        DecodeLoop.Converters(
            resampler: { input, output in
                self.made.append(
                    "\(input.sampleRate)/\(input.channelCount) to \(output.sampleRate)")
                return DoublingConverter()
            },
            stretcher: { format, rate, pitch in
                let change = pitch == 0 ? "" : " and \(pitch) cents"
                self.made.append(
                    "\(format.sampleRate)/\(format.channelCount) at \(rate)\(change)")
                return DoublingConverter()
            })
    }
}

extension DecodeLoop {
    init(frames: consuming FrameProducer, format: StreamFormat, log: ConverterLog = .init()) {
        self.init(frames: frames, format: format, converters: log.converters)
    }

    /// Starts with an item, by default all of it unchanged.
    @discardableResult
    mutating func play(
        _ decoder: any AudioDecoder, _ change: (inout PassageShape) -> Void = { _ in }
    ) -> Int {
        var shape = PassageShape()
        change(&shape)
        return play(decoder, shape: shape)
    }

    /// Steps until there is nothing more to do at once, and returns why.
    mutating func run() -> Step {
        while true {
            let step = step()
            if step != .advanced { return step }
        }
    }
}
