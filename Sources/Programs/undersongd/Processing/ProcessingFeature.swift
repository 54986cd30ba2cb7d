import Glibc
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

/// Background processing: analyzes files of the queue that are new or have changed (G9), at night or
/// as a client asks for it.
final class ProcessingFeature: BackgroundFeature {
    /// The identifier of the service's own processing.
    private static let identifier = "net.undersong.analysis"
    /// The seconds after which files are looked at again.
    private static let interval = 20.0 * 3600

    static let methods: [WireMethod] = [
        WireMethod(AnalyzeFiles.self) { frontEnd, call, origin async throws(ServiceError) in
            let (player, client) = (frontEnd.player, origin.client)
            let media = call.files?.paths
            let work = Task(executorPreference: player.executor) {
                () async -> Result<AnalysisReport, ServiceError> in
                do throws(ServiceError) {
                    return .success(
                        try await player.analyze(media) { notice in
                            var notice = notice
                            notice.gain = notice.analysis?.loudness.map(gain)
                            client.connection.notify(notice)
                        })
                } catch {
                    return .failure(error)
                }
            }
            client.willDo(orCancel: { work.cancel() })
            defer { client.willDo(orCancel: nil) }
            return try await work.value.get()
        }
    ]

    /// The gain in decibels by which a file without tags is played.
    private static func gain(_ loudness: MeasuredLoudness) -> Double {
        20 * log10(ReplayGain(measured: loudness).factor(.track))
    }

    private let processing: (any FileProcessing)?
    private let executor: SessionExecutor

    init(_ service: PlayerService) {
        processing = service.configuration.processing
        executor = service.executor
    }

    var ownTasks: [String: RefreshHandler] {
        guard let processing else { return [:] }
        let (executor, work) = (executor, RunningWork())
        let analysis = RefreshHandler { task, complete in
            work.tasks.withLock { tasks in
                tasks[task.number] = Task(executorPreference: executor) {
                    let report = await processing.run(nil) { _ in }
                    var completion = RefreshCompletion(
                        report.outcome == .finished ? .done : .failed, new: report.analyzed)
                    completion.processorTime = report.processorTime
                    complete(completion)
                    work.tasks.withLock { $0[task.number] = nil }
                }
            }
        } expire: { task in
            work.tasks.withLock { $0.removeValue(forKey: task.number) }?.cancel()
        } request: { last in
            // At night and on external power, as its kind demands.
            RefreshRequest(
                Self.identifier, kind: .processing,
                earliestBeginDate: last.map { $0.began + Self.interval },
                requiresExternalPower: true)
        }
        return [Self.identifier: analysis]
    }
}

/// The analyses that are running, by their number.
private final class RunningWork: Sendable {
    let tasks = Mutex<[Int: Task<Void, Never>]>([:])
}

extension PlayerService {
    /// Analyzes the files that the names stand for, or those of the queue for nil, as background
    /// processing does, but now. Returns when that is done. Cancel the task to end it early.
    func analyze(
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
