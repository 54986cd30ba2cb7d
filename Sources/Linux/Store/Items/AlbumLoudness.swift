import Glibc
import UndersongPlayback

/// Adds up the loudness of the files of an album.
struct AlbumLoudness {
    private var power = 0.0
    private var seconds = 0.0
    private var truePeak = 0.0
    private var samplePeak = 0.0

    /// Adds a file. A silent one counts for nothing, as silence within a file does.
    mutating func add(_ analysis: FileAnalysis) {
        guard let loudness = analysis.loudness, analysis.seconds > 0 else { return }
        power += analysis.seconds * pow(10, loudness.integrated / 10)
        seconds += analysis.seconds
        truePeak = max(truePeak, loudness.truePeak)
        samplePeak = max(samplePeak, loudness.samplePeak)
    }

    /// The loudness of all files together; nil if none has any.
    var loudness: MeasuredLoudness? {
        guard seconds > 0 else { return nil }
        return MeasuredLoudness(
            integrated: 10 * log10(power / seconds), truePeak: truePeak,
            samplePeak: samplePeak)
    }
}
