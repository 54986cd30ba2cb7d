import Playback

/// Gives its blocks one after the other, each in its own format, then an error or the end.
final class ScriptedDecoder: AudioDecoder {
    private(set) var format: StreamFormat
    let description: MediaDescription
    private var blocks: ArraySlice<(samples: [Int16], format: StreamFormat)>
    private let failure: MediaError?

    init(_ blocks: [([Int16], StreamFormat)], failure: MediaError? = nil) {
        self.blocks = blocks.map { (samples: $0.0, format: $0.1) }[...]
        self.failure = failure
        format = blocks.first?.1 ?? mono
        description = MediaDescription(
            format: format, encoding: "Scripted", duration: .invalid, isDurationExact: false)
    }

    /// Blocks of mono samples, without any conversion.
    convenience init(_ blocks: [Int16]..., failure: MediaError? = nil) {
        self.init(blocks.map { ($0, mono) }, failure: failure)
    }

    func read(into samples: inout [Int16]) throws(MediaError) {
        samples.removeAll()
        if let block = blocks.popFirst() {
            format = block.format
            samples = block.samples
        } else if let failure {
            throw failure
        }
    }
}

/// Gives every sample twice, but keeps the last one back until more comes or it is finished: late,
/// as a resampler is.
final class DoublingConverter: SampleConverter {
    private var held: [Int16] = []

    func convert(_ input: [Int16], into output: inout [Int16]) {
        let all = held + input
        output = all.dropLast().flatMap { [$0, $0] }
        held = all.suffix(1)
    }

    func finish(into output: inout [Int16]) {
        output = held.flatMap { [$0, $0] }
        held = []
    }
}

/// Writes down which converters are asked for.
final class ConverterLog {
    private(set) var made: [String] = []

    func make(_ input: StreamFormat, _ output: StreamFormat) -> any SampleConverter {
        made.append("\(input.sampleRate)/\(input.channelCount) to \(output.sampleRate)")
        return DoublingConverter()
    }
}

extension DecodeLoop {
    /// Steps until there is nothing more to do at once, and returns why.
    mutating func run() -> Step {
        while true {
            let step = step()
            if step != .advanced { return step }
        }
    }
}
