package import UndersongBackground
package import UndersongBase
import UndersongPlayback

/// Does what background processing is for: measures how loud files are, verifies them, and makes the
/// seek indexes of long ones. What it finds out is kept by the store; the files stay as they are.
package protocol FileProcessing: Sendable {
    /// Analyzes those of `files` that were not analyzed since they were last changed: the queue's,
    /// for nil. Of files that were left alone after crashes, those that are named get another
    /// chance.
    ///
    /// Returns when nothing is left to do, or that is not possible. Ends at once when its task is
    /// cancelled: this costs the work on one file at most. `onNotice` is called in order, on another
    /// thread, and must not block.
    func run(
        _ files: [FilePath]?, onNotice: @escaping @Sendable (AnalysisNotice) -> Void
    ) async -> AnalysisReport
}
