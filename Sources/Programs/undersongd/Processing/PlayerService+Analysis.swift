import UndersongAudioSession
package import UndersongBackground
package import UndersongBase
import UndersongPlayback

/// The analysis of files.
extension PlayerService {
    /// Analyzes the files that the names stand for, or those of the queue for nil, as background
    /// processing does, but now. Returns when that is done. Cancel the task to end it early.
    package func analyze(
        _ media: [FilePath]?,
        onNotice: @escaping @Sendable (AnalysisNotice) -> Void
    ) async throws(ServiceError) -> AnalysisReport {
        guard let processing = configuration.processing else {
            throw ServiceError(.notPossible, "analyze files", "this service cannot do that")
        }
        var files: [FilePath]?
        var errors: [MediaError] = []
        if let media {
            let found = await Self.files(of: media)
            (files, errors) = (found.files, found.errors)
        }
        var report = await processing.run(files, onNotice: onNotice)
        report.errors = errors.map(\.description)
        return report
    }

    /// The files that the names stand for, each once. The disk is accessed on another thread.
    private static func files(
        of media: [FilePath]
    ) async -> (files: [FilePath], errors: [MediaError]) {
        await withCheckedContinuation { continuation in
            filesQueue.async {
                let finder = MediaFinder(media)
                var (files, known) = ([FilePath](), Set<FilePath>())
                finder.forEachBatch { entries in
                    for entry in entries {
                        guard case .file(let path) = entry.source,
                            known.insert(path).inserted
                        else { continue }
                        files.append(path)
                    }
                }
                continuation.resume(returning: (files, finder.errors))
            }
        }
    }
}
