package import UndersongBase
package import UndersongPlayback

/// The end of an analysis of files, and the numbers of files.
package struct AnalysisReport: Codable, Hashable, Sendable {
    /// The outcome.
    package enum Outcome: String, Codable, Hashable, Sendable, CaseIterable {
        /// Nothing is left to do.
        case finished
        /// It was ended early.
        case expired
        case failed
    }

    package var outcome = Outcome.finished
    /// The reason it has failed; nil if it has not.
    package var reason: String?
    /// The number of files that were analyzed now.
    package var analyzed = 0
    /// The number of those that are damaged.
    package var damaged = 0
    /// The number of files that were known already, and are unchanged since.
    package var known = 0
    /// The number of files that cannot be played.
    package var unplayable = 0
    /// The number of files that are gone, or could not be read.
    package var missing = 0
    /// The number of files left alone, since decoding them has crashed.
    package var skipped = 0
    /// Errors for names without files.
    package var errors: [String] = []
    /// The processor time that the work has cost, in seconds; nil if that is unknown.
    package var processorTime: Double?

    package init() {}
}

/// The result of the analysis of a file, or what holds up all of it.
package struct AnalysisNotice: ControlNotice, Hashable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The result of the file is on the disk.
        case analyzed
        /// The file cannot be played, which is on the disk.
        case unplayable
        /// The file is gone.
        case missing
        /// The file could not be read this time.
        case unavailable
        /// Decoding the file has crashed, or has hung; it is tried again.
        case crashed
        /// The file is left alone, since decoding it has crashed or hung too often.
        case skipped
        /// Results cannot be written to the disk: the analysis waits.
        case paused
        /// They can be written again.
        case resumed
    }

    package static let method = "analysis"

    package var kind: Kind
    /// The file's path; nil if it concerns all.
    package var path: String?
    /// The results for the file.
    package var analysis: FileAnalysis?
    /// The gain in decibels by which `replay-gain track` plays the file if it has no tags.
    package var gain: Double?
    /// The number of times the file has crashed the worker.
    package var count: Int?
    /// The reason it cannot be played, read or written.
    package var reason: String?

    package init(_ kind: Kind, _ path: FilePath? = nil, reason: String? = nil) {
        self.kind = kind
        self.path = path?.description
        self.reason = reason
    }

    /// Creates the notice of a record that is on the disk.
    init(_ path: FilePath, _ outcome: AnalysisRecord.Outcome) {
        switch outcome {
        case .analyzed(let analysis):
            self.init(.analyzed, path)
            self.analysis = analysis
        case .unplayable(let reason): self.init(.unplayable, path, reason: reason)
        case .crashed(let count):
            self.init(.crashed, path)
            self.count = count
        }
    }
}

/// Analyzes files now: their loudness (EBU R 128), length and damage. The results are kept, the
/// files stay as they are, and known files are not analyzed again.
///
/// The reply comes at the end; meanwhile there is an `analysis` notice for each file. It ends early
/// when the connection does.
package struct AnalyzeFiles: ControlCall {
    package typealias Reply = AnalysisReport
    package static let method = "analysis.run"
    /// The files; nil for those of the queue.
    package var files: Files?

    package init(files: Files?) { self.files = files }
}
