import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback
import UndersongPodcasts

/// The service's own background work.
extension RefreshHandler {
    /// Reads the feeds that are due, all of them if somebody asks for it, and queues the downloads
    /// of new episodes (F16).
    static func feeds(_ desk: FeedDesk) -> RefreshHandler {
        RefreshHandler { task, complete in
            desk.post { desk in
                let cause: FeedPlan.Cause =
                    switch task.cause {
                    case .schedule, .foreground: .schedule
                    case .push, .simulate, .command: .command
                    }
                let report = try? await desk.refresh(nil, cause, until: task.warning)
                complete(RefreshCompletion(report))
            }
        }
    }

    /// Analyzes files of the queue that are new or have changed (G9).
    static func analysis(
        _ processing: any FileProcessing, on executor: SessionExecutor
    ) -> RefreshHandler {
        let work = RunningWork()
        return RefreshHandler { task, complete in
            let number = task.number
            work.tasks.withLock { tasks in
                tasks[number] = Task(executorPreference: executor) {
                    let report = await processing.run(nil) { _ in }
                    complete(
                        RefreshCompletion(
                            report.outcome == .finished ? .done : .failed, new: report.analyzed))
                    work.tasks.withLock { $0[number] = nil }
                }
            }
        } expire: { task in
            work.tasks.withLock { $0.removeValue(forKey: task.number) }?.cancel()
        }
    }
}

/// The analyses that are running, by their number.
private final class RunningWork: Sendable {
    let tasks = Mutex<[Int: Task<Void, Never>]>([:])
}

extension RefreshCompletion {
    /// What reading feeds has brought; nil if they could not be read at all.
    fileprivate init(_ report: FeedReport?) {
        guard let report else {
            self.init(.failed)
            return
        }
        let result: RefreshResult =
            switch report.result {
            case .newData: .newData
            case .noData: .noData
            case .failed: .failed
            }
        self.init(
            result, new: report.new, bytes: report.bytes, published: report.published,
            unseenSince: report.unseenSince)
    }
}

/// The service's own requests for processing.
extension PlayerService {
    /// The seconds after which files are looked at again.
    private static let analysisInterval = 20.0 * 3600

    /// Makes podcasts and the analysis of files the service's own work, unless a program registers
    /// for their identifiers.
    func addOwnHandlers() {
        if let podcasts { refresh.handlers[RefreshDesk.fetchIdentifier] = .feeds(podcasts) }
        if let processing = configuration.processing {
            refresh.handlers[RefreshDesk.analysisIdentifier] = .analysis(
                processing, on: executor)
        }
    }

    /// Requests the next analysis, at night and on external power, if it is declared and permitted
    /// and none is pending (G8); the first one at once, others `after` a run.
    func requestAnalysis(after run: RefreshRun? = nil) async {
        let identifier = RefreshDesk.analysisIdentifier
        guard refresh.isRestored, refresh.handlers[identifier] != nil,
            refresh.scheduler.conditions.declarations(.processing, identifier).isEmpty,
            !refresh.scheduler.requests.contains(where: { $0.identifier == identifier }),
            !refresh.scheduler.tasks.contains(where: { $0.identifier == identifier })
        else { return }
        let earliest = run.map { $0.began + Self.analysisInterval }
        await take(
            .submit(
                RefreshRequest(
                    identifier, kind: .processing, earliestBeginDate: earliest,
                    requiresExternalPower: true)))
    }
}
