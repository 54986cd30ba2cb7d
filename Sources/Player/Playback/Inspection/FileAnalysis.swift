package import UndersongBase

/// Identifies the content of a file at a path: as long as both values are the same, so is what was
/// found out about the file.
package struct FileStamp: Codable, Hashable, Sendable {
    /// The size in bytes.
    package var size: Int
    /// The time at which the file was last changed, in nanoseconds since 1970.
    package var modified: Int

    package init(size: Int, modified: Int) {
        self.size = size
        self.modified = modified
    }
}

/// The loudness of a file (EBU R 128) as it is heard on two speakers or more: mono counts twice.
package struct MeasuredLoudness: Codable, Hashable, Sendable {
    /// The integrated loudness in LUFS.
    package var integrated: Double
    /// The highest value between and at the samples; 1 is full scale.
    package var truePeak: Double
    /// The highest sample; 1 is full scale.
    package var samplePeak: Double

    package init(integrated: Double, truePeak: Double, samplePeak: Double) {
        self.integrated = integrated
        self.truePeak = truePeak
        self.samplePeak = samplePeak
    }
}

/// The result of decoding all of a file.
package struct FileAnalysis: Codable, Hashable, Sendable {
    /// Nil if the file is silent, or has less than 0.4 s of sound.
    package var loudness: MeasuredLoudness?
    /// The exact playing time in seconds.
    package var seconds: Double
    /// The album that the tags name, for files of the same folder; nil if they name none.
    package var album: String?
    /// The faults of the file, one clause each; empty if nothing is.
    package var damage: [String]

    package init(
        loudness: MeasuredLoudness?, seconds: Double, album: String? = nil, damage: [String] = []
    ) {
        self.loudness = loudness
        self.seconds = seconds
        self.album = album
        self.damage = damage
    }
}

/// The stored part of the analysis of a file.
package struct AnalysisRecord: Codable, Hashable, Sendable {
    /// The outcome of the analysis.
    package enum Outcome: Codable, Hashable, Sendable {
        case analyzed(FileAnalysis)
        /// The file cannot be played, for this reason.
        case unplayable(String)
        /// The process that decoded the file has crashed so many times.
        case crashed(count: Int)
    }

    /// The file's content at that time.
    package var stamp: FileStamp
    /// The time of that, in seconds since 1970.
    package var date: Double
    package var outcome: Outcome

    package init(stamp: FileStamp, date: Double, outcome: Outcome) {
        self.stamp = stamp
        self.date = date
        self.outcome = outcome
    }
}

/// Remembers how loud files are. May be called on any thread, including those of the sound path: it
/// takes one quick lookup at most.
package protocol LoudnessMemory: AnyObject, Sendable {
    /// The gains and peaks of a file with this content as they were measured; nil if they were not.
    func measuredGain(of path: FilePath, _ stamp: FileStamp) -> ReplayGain?
}

extension ReplayGain {
    /// The loudness that files are brought to, in LUFS (ReplayGain 2.0 specification).
    private static let referenceLoudness = -18.0

    /// True if a gain is known, so that there is something to apply.
    package var hasGain: Bool { trackGain != nil || albumGain != nil }

    /// The values that a tag would have for a file of this loudness, on an album of that one.
    package init(measured track: MeasuredLoudness, album: MeasuredLoudness? = nil) {
        self.init(
            trackGain: Self.referenceLoudness - track.integrated, trackPeak: track.truePeak,
            albumGain: album.map { Self.referenceLoudness - $0.integrated },
            albumPeak: album?.truePeak)
    }
}
