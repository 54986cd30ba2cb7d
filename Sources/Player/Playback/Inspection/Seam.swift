/// The seam between two files as it will be heard.
package struct Seam: Equatable, Sendable {
    /// One file's contribution to the seam.
    package enum Edge: Equatable, Sendable {
        /// The audio ends or begins here to the sample.
        case exact
        /// Extra frames of the encoder remain because their number is not recorded: usually as many
        /// as LAME adds, nil for Layers I and II.
        case encoderFrames(ClosedRange<Int>?)
        /// The file does not end where its header says.
        case damaged
    }

    /// The end of the file before the seam.
    package let end: Edge
    /// The beginning of the file after it.
    package let start: Edge
    /// The format of the file after the seam, if it differs from that of the stream.
    package let convertedFrom: StreamFormat?
    /// The format of the stream.
    package let streamFormat: StreamFormat

    /// LAME's own delay of 576 frames plus the decoder's.
    private static let usualDelay = 576 + GaplessInfo.decoderDelay

    package init(
        from first: MediaInspection, to second: MediaInspection, streamFormat: StreamFormat
    ) {
        end = Self.end(of: first)
        start = Self.start(of: second)
        let format = second.description.format
        convertedFrom = streamFormat.carries(format) ? nil : format
        self.streamFormat = streamFormat
    }

    /// True if no frame is added or missing.
    package var isGapless: Bool { end == .exact && start == .exact }

    /// The frames heard between the audio of both files, 0 if gapless; nil if unknown.
    package var addedFrames: ClosedRange<Int>? {
        guard let first = end.frames, let second = start.frames else { return nil }
        return first.lowerBound + second.lowerBound...first.upperBound + second.upperBound
    }

    private static func end(of media: MediaInspection) -> Edge {
        if media.structure.damage.contains(where: \.concernsEnd) { return .damaged }
        guard media.description.gaplessSource == nil else { return .exact }
        guard let header = media.structure.header, header.layer == 3 else {
            return .encoderFrames(nil)
        }
        // LAME pads with 576 frames and fills up the last MPEG frame; because of its delay, a
        // decoder does not reach the last 529 of them.
        let least = 576 - GaplessInfo.decoderDelay
        return .encoderFrames(least...least + header.sampleCount - 1)
    }

    private static func start(of media: MediaInspection) -> Edge {
        guard media.description.gaplessSource == nil else { return .exact }
        guard media.structure.header?.layer == 3 else { return .encoderFrames(nil) }
        return .encoderFrames(usualDelay...usualDelay)
    }
}

extension Seam.Edge {
    fileprivate var frames: ClosedRange<Int>? {
        switch self {
        case .exact: 0...0
        case .encoderFrames(let frames): frames
        case .damaged: nil
        }
    }
}

extension Seam: CustomStringConvertible {
    /// A single line without a period.
    package var description: String {
        let conversion = convertedFrom.map {
            ", converted from \($0.name) to \(streamFormat.name)"
        }
        return joint + (conversion ?? "")
    }

    private var joint: String {
        if isGapless { return "gapless, 0 frames added" }
        if end == .damaged { return "not gapless: the file before it does not end as it should" }
        let what =
            switch (end, start) {
            case (.exact, _): "encoder delay"
            case (_, .exact): "encoder padding"
            default: "encoder padding and delay"
            }
        return "not gapless: \(amount) of \(what) stay (no gapless information)"
    }

    private var amount: String {
        guard let frames = addedFrames else { return "frames" }
        let isOne = frames.lowerBound == frames.upperBound
        return isOne
            ? "usually \(frames.lowerBound) frames"
            : "usually \(frames.lowerBound) to \(frames.upperBound) frames"
    }
}
