import UndersongBackground

/// All that is kept of a scheduler, as it is written.
struct RefreshRecord: Codable, Sendable {
    struct Request: Codable {
        let identifier: String
        let kind: String
        let earliestBeginDate: Double?
        let requiresNetworkConnectivity: Bool
        let requiresExternalPower: Bool
        let submitted: Double
        let submittedBoot: Double
    }

    struct Run: Codable {
        let number: Int
        let identifier: String
        let kind: String
        let cause: String
        let began: Double
        let beganBoot: Double
        let seconds: Double?
        let result: String?
    }

    struct HalfHour: Codable {
        let halfHour: Int
        let opens: Double
        let news: Double
        let stretch: Double
        let openDay: Int?
        let newsDay: Int?
    }

    struct Sighting: Codable {
        let start: Double
        let end: Double
    }

    struct Usage: Codable {
        let entries: [HalfHour]
        let sightings: [Sighting]
        let workingDays: Double
        let weekendDays: Double
        let today: Int?
        let lastOpenDay: Int?
    }

    /// Which time since a start of the machine it is from.
    let boot: String
    /// Seconds between fetches: 0 for as often as possible, nil for never.
    let interval: Double?
    let isShutDown: Bool
    let requests: [Request]
    let runs: [Run]
    let usage: Usage

    init(_ state: RefreshCenter.State, boot: String) {
        self.boot = boot
        interval =
            switch state.scheduler.interval {
            case .never: nil
            case .minimum: 0
            case .seconds(let seconds): seconds
            }
        isShutDown = state.scheduler.isShutDown
        requests = state.scheduler.requests.map(Request.init)
        runs = state.runs.values.sorted { $0.number < $1.number }.map(Run.init)
        usage = Usage(state.scheduler.usage)
    }

    /// What a scheduler is restored from, if the machine is in `boot` now.
    func memory(boot: String) -> RefreshScheduler.Memory {
        var memory = RefreshScheduler.Memory()
        memory.interval = interval.map { $0 > 0 ? .seconds($0) : .minimum } ?? .never
        memory.isShutDown = isShutDown
        memory.requests = requests.compactMap(\.value)
        memory.runs = runs.compactMap(\.value)
        memory.usage = usage.value
        memory.isSameBoot = !boot.isEmpty && boot == self.boot
        return memory
    }
}

extension RefreshRecord.Request {
    init(_ request: RefreshRequest) {
        self.init(
            identifier: request.identifier, kind: request.kind.rawValue,
            earliestBeginDate: request.earliestBeginDate,
            requiresNetworkConnectivity: request.requiresNetworkConnectivity,
            requiresExternalPower: request.requiresExternalPower, submitted: request.submitted,
            submittedBoot: request.submittedBoot)
    }

    var value: RefreshRequest? {
        guard let kind = RefreshKind(rawValue: kind) else { return nil }
        var request = RefreshRequest(
            identifier, kind: kind, earliestBeginDate: earliestBeginDate,
            requiresNetworkConnectivity: requiresNetworkConnectivity,
            requiresExternalPower: requiresExternalPower)
        (request.submitted, request.submittedBoot) = (submitted, submittedBoot)
        return request
    }
}

extension RefreshRecord.Run {
    init(_ run: RefreshRun) {
        self.init(
            number: run.number, identifier: run.identifier, kind: run.kind.rawValue,
            cause: run.cause.rawValue, began: run.began, beganBoot: run.beganBoot,
            seconds: run.seconds, result: run.result?.rawValue)
    }

    var value: RefreshRun? {
        guard let kind = RefreshKind(rawValue: kind), let cause = RefreshCause(rawValue: cause)
        else { return nil }
        return RefreshRun(
            number: number, identifier: identifier, kind: kind, cause: cause, began: began,
            beganBoot: beganBoot, seconds: seconds,
            result: result.flatMap(RefreshResult.init(rawValue:)))
    }
}

extension RefreshRecord.Usage {
    init(_ usage: UsagePattern) {
        self.init(
            entries: usage.entries.map { entry in
                RefreshRecord.HalfHour(
                    halfHour: entry.halfHour, opens: entry.opens, news: entry.news,
                    stretch: entry.stretch, openDay: entry.openDay, newsDay: entry.newsDay)
            },
            sightings: usage.sightings.all.map {
                RefreshRecord.Sighting(start: $0.start, end: $0.end)
            },
            workingDays: usage.workingDays, weekendDays: usage.weekendDays, today: usage.today,
            lastOpenDay: usage.lastOpenDay)
    }

    var value: UsagePattern {
        UsagePattern(
            entries.map { entry in
                UsagePattern.Entry(
                    halfHour: entry.halfHour, opens: entry.opens, news: entry.news,
                    stretch: entry.stretch, openDay: entry.openDay, newsDay: entry.newsDay)
            },
            sightings: NewsSightings(
                sightings.map { NewsSightings.Sighting(start: $0.start, end: $0.end) }),
            workingDays: workingDays, weekendDays: weekendDays, today: today,
            lastOpenDay: lastOpenDay)
    }
}
