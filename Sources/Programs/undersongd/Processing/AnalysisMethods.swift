import Glibc
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

/// The analysis of files.
extension WireMethod {
    static let analysis: [WireMethod] = [
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
}
