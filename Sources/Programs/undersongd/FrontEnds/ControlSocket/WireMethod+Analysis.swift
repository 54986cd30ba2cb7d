import Glibc
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback
import UndersongPlayerService

/// The analysis of files.
extension WireMethod {
    static let analysis: [WireMethod] = [
        WireMethod(AnalyzeFiles.self) { frontEnd, call, origin async throws(ServiceError) in
            let (player, client) = (frontEnd.player, origin.client)
            let media = call.files?.paths
            let work = Task(executorPreference: player.executor) {
                () async -> Result<AnalyzeFiles.Reply, ServiceError> in
                do throws(ServiceError) {
                    let report = try await player.analyze(media) { notice in
                        client.connection.notify(Analysis(notice))
                    }
                    return .success(AnalyzeFiles.Reply(report))
                } catch {
                    return .failure(error)
                }
            }
            client.willDo(orCancel: { work.cancel() })
            defer { client.willDo(orCancel: nil) }
            return try await work.value.get()
        }
    ]
}

extension AnalyzeFiles.Reply {
    fileprivate init(_ report: PlayerService.AnalysisReport) {
        switch report.outcome {
        case .finished: self.init(outcome: "finished")
        case .expired: self.init(outcome: "failed", reason: "it was ended early")
        case .failed(let reason): self.init(outcome: "failed", reason: reason)
        }
        let summary = report.summary
        (analyzed, damaged, known) = (summary.analyzed, summary.damaged, summary.known)
        (unplayable, missing, skipped) = (summary.unplayable, summary.missing, summary.skipped)
        errors = report.errors.map(\.description)
    }
}

extension Analysis {
    init(_ notice: ProcessingDesk.Notice) {
        switch notice {
        case .done(let path, let record): self.init(path, record.outcome)
        case .missing(let path): self.init(.missing, path: path.description)
        case .unavailable(let path, let reason):
            self.init(.unavailable, path: path.description, reason: reason)
        case .crashed(let path, _, let reason):
            self.init(.crashed, path: path.description, reason: reason)
        case .skipped(let path): self.init(.skipped, path: path.description)
        case .paused(let reason): self.init(.paused, reason: reason)
        case .resumed: self.init(.resumed)
        }
    }

    private init(_ path: FilePath, _ outcome: AnalysisRecord.Outcome) {
        switch outcome {
        case .unplayable(let reason):
            self.init(.unplayable, path: path.description, reason: reason)
        case .crashed: self.init(.crashed, path: path.description)
        case .analyzed(let analysis):
            self.init(.analyzed, path: path.description)
            loudness = analysis.loudness.map { Loudness($0) }
            seconds = analysis.seconds
            damage = analysis.damage.isEmpty ? nil : analysis.damage
        }
    }
}

extension Analysis.Loudness {
    fileprivate init(_ loudness: MeasuredLoudness) {
        let factor = ReplayGain(measured: loudness).factor(.track)
        self.init(
            integrated: loudness.integrated, truePeak: loudness.truePeak,
            samplePeak: loudness.samplePeak, gain: 20 * log10(factor))
    }
}
