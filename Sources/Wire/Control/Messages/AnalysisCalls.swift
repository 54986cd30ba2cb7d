package import UndersongBackground
public import UndersongBase

/// Analyzes files now: how loud they are (EBU R 128), how long, and what is wrong with them. What is
/// found out is kept, the files stay as they are, and what was known already is not done again.
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
