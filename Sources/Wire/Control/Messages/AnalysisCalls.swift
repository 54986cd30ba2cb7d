package import UndersongBackground
import UndersongBase
package import UndersongPlayback

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
