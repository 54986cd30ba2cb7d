import UndersongBackground
import UndersongControl
import UndersongPlayerService

/// Background fetches, refreshes and processing.
extension WireMethod {
    /// How many runs are described if the client does not say.
    private static let runLimit = 10

    static let refresh: [WireMethod] = [
        WireMethod(Refresh.self) { frontEnd, call, origin async throws(ServiceError) in
            let player = frontEnd.player
            let client = origin.client.id
            var task: Int?
            switch call.action {
            case .status: break
            case .submit: try await player.submit(try call.request)
            case .cancel: await player.cancelRefresh(call.identifier)
            case .register:
                try await player.registerRefresh(try call.requiredIdentifier, client)
            case .complete:
                guard let number = call.task else { throw call.missing("task") }
                try await player.completeRefresh(number, try call.completion, by: client)
            case .simulate, .run:
                let cause: RefreshCause = call.action == .run ? .command : .simulate
                task = try await player.runRefresh(
                    call.identifier, try call.kind(.refresh), cause, for: client)
            case .expire: try await player.expireRefresh(call.identifier)
            case .interval: await player.setFetchInterval(try call.fetchInterval)
            case .allow: try await player.allowBackgroundRefresh(true)
            case .deny: try await player.allowBackgroundRefresh(false)
            }
            var reply = Refresh.Reply(
                await player.refreshReport(limit: call.limit ?? runLimit))
            reply.task = task
            return reply
        }
    ]
}

extension Refresh {
    fileprivate func missing(_ member: String) -> ServiceError {
        ServiceError(
            .invalidValue, "\(action.rawValue) a background task", "'\(member)' is missing")
    }

    fileprivate var requiredIdentifier: String {
        get throws(ServiceError) {
            guard let identifier, !identifier.isEmpty else { throw missing("identifier") }
            return identifier
        }
    }

    fileprivate func kind(_ standard: RefreshKind) throws(ServiceError) -> RefreshKind {
        guard let kind else { return standard }
        guard let value = RefreshKind(rawValue: kind), value != .fetch else {
            throw .unknown("kind", kind, ["refresh", "processing"])
        }
        return value
    }

    fileprivate var request: RefreshRequest {
        get throws(ServiceError) {
            if let date = earliestBeginDate, !date.isFinite {
                throw ServiceError(
                    .invalidValue, "submit \(try requiredIdentifier)", "its date is not a number")
            }
            return RefreshRequest(
                try requiredIdentifier, kind: try kind(.refresh),
                earliestBeginDate: earliestBeginDate,
                requiresNetworkConnectivity: requiresNetworkConnectivity ?? false,
                requiresExternalPower: requiresExternalPower ?? false)
        }
    }

    fileprivate var completion: RefreshCompletion {
        get throws(ServiceError) {
            let results: [RefreshResult] = [.newData, .noData, .done, .failed]
            guard let result else { throw missing("result") }
            guard let value = results.first(where: { $0.rawValue == result }) else {
                throw .unknown("result", result, results.map(\.rawValue))
            }
            return RefreshCompletion(
                value, new: max(0, new ?? 0), bytes: min(max(0, bytes ?? 0), 1 << 50))
        }
    }

    fileprivate var fetchInterval: FetchInterval {
        get throws(ServiceError) {
            switch interval {
            case nil: throw missing("interval")
            case "never": return .never
            case "minimum": return .minimum
            case let text?:
                guard let seconds = Double(text), seconds >= 0, seconds.isFinite else {
                    throw .unknown("interval", text, ["never", "minimum", "a number of seconds"])
                }
                return .seconds(seconds)
            }
        }
    }
}

extension Refresh.Reply {
    init(_ report: RefreshReport) {
        self.init(
            interval: report.interval.text,
            pending: report.outlook.map { Refresh.Wish($0, at: report.time) },
            runs: report.runs.map { Refresh.Run($0) }, missing: report.missing,
            promised: report.isPromised, shutDown: report.isShutDown, badge: report.badge,
            availability: report.availability.text, fallbacks: report.fallbacks,
            now: report.time.wall, utcOffset: report.time.utcOffset)
    }
}

extension RefreshAvailability {
    fileprivate var text: String {
        switch self {
        case .restricted: "restricted"
        case .denied: "denied"
        case .available: "available"
        }
    }
}

extension FetchInterval {
    fileprivate var text: String {
        switch self {
        case .never: "never"
        case .minimum: "minimum"
        case .seconds(let seconds): String(seconds)
        }
    }
}

extension Refresh.Wish {
    fileprivate init(_ outlook: RefreshScheduler.Outlook, at now: ScheduleTime) {
        self.init(
            identifier: outlook.identifier, kind: outlook.kind.rawValue,
            reasons: outlook.obstacles.map(\.name).sorted(),
            because: outlook.obstacles.map { obstacle in
                let remedy = obstacle.remedy.map { " ('\($0)' changes that)" } ?? ""
                return obstacle.words(at: now) + remedy
            }.sorted())
        earliestBeginDate = outlook.request?.earliestBeginDate
        requiresNetworkConnectivity = outlook.request?.requiresNetworkConnectivity
        requiresExternalPower = outlook.request?.requiresExternalPower
        due = outlook.due
    }
}

extension Refresh.Run {
    fileprivate init(_ run: RefreshRun) {
        self.init(
            task: run.number, identifier: run.identifier, kind: run.kind.rawValue,
            cause: run.cause.rawValue, began: run.began, seconds: run.seconds,
            result: run.result?.rawValue, new: run.new)
    }
}
