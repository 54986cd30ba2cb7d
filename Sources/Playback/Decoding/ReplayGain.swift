/// How much louder or softer a file is to be played so that all sound alike, as its tags say.
public struct ReplayGain: Equatable, Sendable {
    /// Decibels that bring the track to the reference loudness of 89 dB (-18 LUFS).
    public var trackGain: Double?
    /// The track's loudest sample; 1 is full scale.
    public var trackPeak: Double?
    /// Decibels that bring the album as a whole to the reference loudness.
    public var albumGain: Double?
    /// The album's loudest sample; 1 is full scale.
    public var albumPeak: Double?

    /// Gains beyond this many decibels are errors; GStreamer draws the same line.
    private static let gainLimit = 60.0

    /// Makes one of what is known.
    public init(
        trackGain: Double? = nil, trackPeak: Double? = nil, albumGain: Double? = nil,
        albumPeak: Double? = nil
    ) {
        self.trackGain = trackGain
        self.trackPeak = trackPeak
        self.albumGain = albumGain
        self.albumPeak = albumPeak
    }

    /// Whether nothing is known.
    public var isEmpty: Bool { self == ReplayGain() }

    /// What to multiply samples by.
    ///
    /// - The album's gain stands in for the track's and the reverse where one is missing, as mpv,
    ///   MPD and GStreamer have it. Without either, or with `.off`, samples stay as they are.
    /// - The result is never so large that the loudest sample would clip (ReplayGain 2.0
    ///   specification, "clipping prevention"; the default of MPD, mpv and foobar2000).
    /// - A peak that is not known is taken for full scale, as mpv and GStreamer do: such a file is
    ///   made softer and never louder.
    /// - Parameter preamplification: decibels more for all files that have a gain.
    public func factor(_ mode: ReplayGainMode, preamplification: Double = 0) -> Double {
        let (gain, peak): (Double?, Double?) =
            switch mode {
            case .off: (nil, nil)
            case .track where trackGain != nil: (trackGain, trackPeak ?? albumPeak)
            case .album where albumGain != nil: (albumGain, albumPeak ?? trackPeak)
            case .track, .album: (trackGain ?? albumGain, trackPeak ?? albumPeak)
            }
        guard let gain, (gain + preamplification).isFinite else { return 1 }
        let limit = peak.map { $0 > 0 ? 1 / $0 : 1 } ?? 1
        return min(factorOfDecibels(gain + preamplification), limit)
    }

    /// Takes in a tag of one of ReplayGain's four names, in capitals or not: `-6.20 dB`, `0.988`.
    /// The first of a name counts; what is no number in range is passed over.
    package mutating func take(name: String, value: String) {
        switch name.lowercased() {
        case "replaygain_track_gain": trackGain = trackGain ?? Self.gain(value)
        case "replaygain_track_peak": trackPeak = trackPeak ?? Self.peak(value)
        case "replaygain_album_gain": albumGain = albumGain ?? Self.gain(value)
        case "replaygain_album_peak": albumPeak = albumPeak ?? Self.peak(value)
        default: break
        }
    }

    /// Takes from `other` what is not known yet.
    package mutating func complete(with other: ReplayGain) {
        trackGain = trackGain ?? other.trackGain
        trackPeak = trackPeak ?? other.trackPeak
        albumGain = albumGain ?? other.albumGain
        albumPeak = albumPeak ?? other.albumPeak
    }

    private static func gain(_ text: String) -> Double? {
        let text = text.lowercased().filter { !$0.isWhitespace }
        return number(text.hasSuffix("db") ? String(text.dropLast(2)) : text)
            .flatMap { abs($0) <= gainLimit ? $0 : nil }
    }

    private static func peak(_ text: String) -> Double? {
        number(text.filter { !$0.isWhitespace }).flatMap { $0 > 0 ? $0 : nil }
    }

    /// A decimal number, with a comma too, as some programs write it.
    private static func number(_ text: String) -> Double? {
        guard text.allSatisfy({ "0"..."9" ~= $0 || "+-.,".contains($0) }) else { return nil }
        return Double(String(text.map { $0 == "," ? "." : $0 }))
    }
}

/// Which of a file's two gains is applied.
public enum ReplayGainMode: String, CaseIterable, Sendable {
    /// None: samples stay as they are.
    case off
    /// The track's: all tracks sound alike.
    case track
    /// The album's: its tracks keep their distance from one another.
    case album
}

/// 10^(decibels / 20): a power of two and, for the rest between -½ and ½, the exponential series.
private func factorOfDecibels(_ decibels: Double) -> Double {
    let logarithm = min(max(decibels, -1000), 1000) * 0.166_096_404_744_368_1
    let exponent = logarithm.rounded()
    let rest = (logarithm - exponent) * 0.693_147_180_559_945_3
    var (sum, term) = (1.0, 1.0)
    for index in 1..<18 {
        term *= rest / Double(index)
        sum += term
    }
    return sum * Double(sign: .plus, exponent: Int(exponent), significand: 1)
}
