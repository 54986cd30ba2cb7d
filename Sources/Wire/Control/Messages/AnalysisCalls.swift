public import UndersongBase

/// Analyzes files now: how loud they are (EBU R 128), how long, and what is wrong with them. What is
/// found out is kept, the files stay as they are, and what was known already is not done again.
///
/// The reply comes at the end; meanwhile there is an `Analysis` notice for each file. It ends early
/// when the connection does.
public struct AnalyzeFiles: ControlCall {
    /// How it ended, and how many files there were.
    public struct Reply: Codable, Hashable, Sendable {
        /// `finished` or `failed`.
        public var outcome: String
        /// Why it failed; nil if it did not.
        public var reason: String?
        /// The number of files that were analyzed now.
        public var analyzed = 0
        /// Those of them that are damaged.
        public var damaged = 0
        /// The number of files that were known already.
        public var known = 0
        /// The number of files that cannot be played.
        public var unplayable = 0
        /// The number of files that are gone, or could not be read.
        public var missing = 0
        /// The number of files left alone, since decoding them has crashed.
        public var skipped = 0
        /// What could not be found.
        public var errors: [String] = []

        /// Creates a reply.
        public init(outcome: String, reason: String? = nil) {
            self.outcome = outcome
            self.reason = reason
        }
    }

    /// The name of the method.
    public static let method = "analyze"
    /// The files; nil for those of the queue.
    public var files: Files?

    /// Creates a request.
    public init(files: Files?) { self.files = files }
}

/// What the analysis of a file has shown, or what holds up all of it.
public struct Analysis: ControlNotice, Hashable {
    /// What has happened.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The result of the file is on the disk.
        case analyzed
        /// The file cannot be played, which is on the disk.
        case unplayable
        /// The file is gone.
        case missing
        /// The file could not be read this time.
        case unavailable
        /// Decoding the file has crashed; it is tried again.
        case crashed
        /// The file is left alone, since decoding it has crashed too often.
        case skipped
        /// Results cannot be written to the disk: the analysis waits.
        case paused
        /// They can be written again.
        case resumed
    }

    /// How loud a file is.
    public struct Loudness: Codable, Hashable, Sendable {
        /// The integrated loudness in LUFS.
        public var integrated: Double
        /// The highest value between the samples; 1 is full scale.
        public var truePeak: Double
        /// The highest sample; 1 is full scale.
        public var samplePeak: Double
        /// The gain in decibels by which `replay-gain track` plays the file if it has no tags.
        public var gain: Double

        /// Creates a loudness.
        public init(integrated: Double, truePeak: Double, samplePeak: Double, gain: Double) {
            self.integrated = integrated
            self.truePeak = truePeak
            self.samplePeak = samplePeak
            self.gain = gain
        }
    }

    /// The name of the method.
    public static let method = "analysis"
    /// What has happened.
    public var kind: Kind
    /// The file's path; nil if it concerns all.
    public var path: String?
    /// How loud it is; nil for silence.
    public var loudness: Loudness?
    /// The exact playing time.
    public var seconds: Double?
    /// What is wrong with it; nil if nothing is.
    public var damage: [String]?
    /// Why it cannot be played, read or written.
    public var reason: String?

    /// Creates a notice.
    public init(_ kind: Kind, path: String? = nil, reason: String? = nil) {
        self.kind = kind
        self.path = path
        self.reason = reason
    }
}

/// The gain by which an item is played.
public struct AppliedGain: Codable, Hashable, Sendable {
    /// The mode: `track` or `album`.
    public var mode: String
    /// The gain in decibels, with the preamplification and so limited that peaks do not clip.
    public var decibels: Double
    /// `tags`; or `measured`, if the file's tags have no gain.
    public var source: String

    /// Creates a gain.
    public init(mode: String, decibels: Double, source: String) {
        self.mode = mode
        self.decibels = decibels
        self.source = source
    }
}
