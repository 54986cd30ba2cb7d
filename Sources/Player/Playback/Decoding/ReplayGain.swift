/// The gain that makes all files sound equally loud, from a file's tags.
public struct ReplayGain: Codable, Hashable, Sendable {
    /// The gain in decibels that brings the track to the reference loudness of 89 dB (-18 LUFS).
    public var trackGain: Double?
    /// The track's peak sample; 1 is full scale.
    public var trackPeak: Double?
    /// The gain in decibels that brings the whole album to the reference loudness.
    public var albumGain: Double?
    /// The album's peak sample; 1 is full scale.
    public var albumPeak: Double?

    /// Gains beyond this many decibels are considered errors, as in GStreamer.
    private static let gainLimit = 60.0

    /// Creates values from those that are known.
    public init(
        trackGain: Double? = nil, trackPeak: Double? = nil, albumGain: Double? = nil,
        albumPeak: Double? = nil
    ) {
        self.trackGain = trackGain
        self.trackPeak = trackPeak
        self.albumGain = albumGain
        self.albumPeak = albumPeak
    }

    /// True if no value is known.
    public var isEmpty: Bool { self == ReplayGain() }

    /// The factor for samples.
    ///
    /// - If the track's gain is missing, the album's is used instead, and vice versa, as in mpv,
    ///   MPD and GStreamer. Without either, or with `.off`, samples stay unchanged.
    /// - The result is limited so that the peak sample does not clip (ReplayGain 2.0 specification,
    ///   "clipping prevention"; the default of MPD, mpv and foobar2000).
    /// - An unknown peak is assumed to be full scale, as in mpv and GStreamer: such a file is made
    ///   softer but never louder.
    /// - Parameter preamplification: additional decibels for all files that have a gain.
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

    /// Adds a tag with one of ReplayGain's four names, in any case: `-6.20 dB`, `0.988`. The first
    /// tag of each name counts; values that are not numbers in range are ignored.
    package mutating func parse(name: String, value: String) {
        switch name.lowercased() {
        case "replaygain_track_gain": trackGain = trackGain ?? Self.gain(value)
        case "replaygain_track_peak": trackPeak = trackPeak ?? Self.peak(value)
        case "replaygain_album_gain": albumGain = albumGain ?? Self.gain(value)
        case "replaygain_album_peak": albumPeak = albumPeak ?? Self.peak(value)
        default: break
        }
    }

    /// Adds the values of `other` that are not known yet.
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
        number(text.filter { !$0.isWhitespace }).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }

    /// A decimal number; the decimal point may be a comma, which some programs write.
    private static func number(_ text: String) -> Double? {
        guard text.allSatisfy({ "0"..."9" ~= $0 || "+-.,".contains($0) }) else { return nil }
        return Double(String(text.map { $0 == "," ? "." : $0 }))
    }
}

/// The choice between a file's two gains.
public enum ReplayGainMode: String, Codable, CaseIterable, Sendable {
    /// None: samples stay unchanged.
    case off
    /// The track's: all tracks sound equally loud.
    case track
    /// The album's: its tracks keep their relative loudness.
    case album
}

/// 10^(decibels / 20), as a power of two times the exponential series for the rest between -½ and
/// ½.
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

/// The gain by which an item is played.
public struct AppliedGain: Codable, Hashable, Sendable {
    /// The origin of a gain.
    public enum Source: String, Codable, Sendable {
        /// The file's tags.
        case tags
        /// A measurement, if the file's tags have no gain.
        case measured
    }

    /// The mode: not `off`.
    public var mode: ReplayGainMode
    /// The gain in decibels, with the preamplification and so limited that peaks do not clip.
    public var decibels: Double
    /// The origin.
    public var source: Source

    package init(mode: ReplayGainMode, decibels: Double, source: Source) {
        self.mode = mode
        self.decibels = decibels
        self.source = source
    }
}
