package import UndersongBase

/// Decides about all use of places by a host: who gets which fix, what happens at regions, and when
/// a source measures. It does so only while somebody who may have fixes wants some.
///
/// Clients are the parts of a host: the managers of a program, or the clients of a service. Times are
/// in seconds.
package struct LocationPolicy: Machine {
    /// Seconds without a fix after which clients are notified.
    package static let patience = 10.0
    /// Seconds by which that is noticed later when the process was stopped, or the machine slept:
    /// nothing could be heard meanwhile, and clients are notified after the same time once more.
    static let lateness = 1.0
    /// Seconds for a fix that was requested.
    package static let requestTime = 10.0
    /// Seconds during which a fix is given to a client that starts.
    static let freshness = 60.0

    /// A part of the host.
    struct Client: Sendable {
        var options = LocationOptions()
        var updates: Updates?
        var significantChanges: SignificantChangeFilter?
        var wantsVisits = false
        var request: Request?
        /// True if it was notified that it is denied places, since it started something.
        var knowsOfDenial = false

        var isEmpty: Bool {
            updates == nil && significantChanges == nil && !wantsVisits && request == nil
        }
    }

    /// Updates that were started.
    struct Updates: Sendable {
        var filter: LocationFilter
        var standstill = StandstillWatch()
        var isPaused = false
        var beganInForeground: Bool
        /// True if the client was notified that there is no fix, since the last one.
        var knowsOfSilence = false
    }

    /// A fix that was requested.
    struct Request: Sendable {
        /// The time of its end, by the host's clock; nil while it cannot be measured.
        var deadline: Double?
        var best: LocationFix?
        var beganInForeground: Bool
    }

    /// The part of a policy that survives the process.
    package struct Record: Codable, Hashable, Sendable {
        package var status: LocationAuthorization.Status
        /// True if the user was asked for more than the use in the foreground.
        package var hasAskedForUpgrade: Bool
        /// The watched regions, in the order of their names.
        package var regions: [WatchedRegion]

        package init(
            status: LocationAuthorization.Status = .notDetermined,
            hasAskedForUpgrade: Bool = false, regions: [WatchedRegion] = []
        ) {
            self.status = status
            self.hasAskedForUpgrade = hasAskedForUpgrade
            self.regions = regions
        }
    }

    var clients: [Int: Client] = [:]
    var authorization: LocationAuthorization
    /// True while the host is in the foreground.
    package internal(set) var isForeground = true
    var hasBackgroundMode = false

    var regions: RegionMonitor
    /// The names of those for which a source is opened; nil for all.
    var wantedRegions: Set<String>?
    /// The clients that have asked for the state of regions, while it is not known.
    var questions: [String: Set<Int>] = [:]
    var visits = VisitDetector()

    var validation = FixValidation()
    /// The demand that the source has to meet; nil while it is closed.
    package internal(set) var demand: LocationDemand?
    /// The number of the source that was opened last. Events of others are too late.
    package internal(set) var sourceNumber = 0
    /// The state that the source has reported last; nil while it is closed.
    package internal(set) var sourceState: LocationSourceState?
    /// The reason that the source has reported for not measuring, since it was opened or last measured.
    var reportedFailure: String?
    /// The newest fix that was believed.
    package internal(set) var lastFix: LocationFix?
    /// The time from which on a fix is overdue, by the host's clock; nil if none is.
    var silentSince: Double?
    /// True once the host has ended, for good.
    private var hasEnded = false

    /// Creates a policy that continues from `record`.
    package init(_ record: Record = Record()) {
        authorization = LocationAuthorization(
            record.status, hasAskedForUpgrade: record.hasAskedForUpgrade)
        regions = RegionMonitor(record.regions)
    }

    /// The part that has to survive the process.
    package var record: Record {
        Record(
            status: authorization.status, hasAskedForUpgrade: authorization.hasAskedForUpgrade,
            regions: watchedRegions)
    }

    /// The user's decision.
    package var status: LocationAuthorization.Status { authorization.status }

    /// The usage that the host declares.
    package var usage: LocationUsage { authorization.usage }

    /// The watched regions, in the order of their names.
    package var watchedRegions: [WatchedRegion] { regions.regions }

    /// The stay that lasts.
    package var currentVisit: Visit? { visits.current }

    /// The services that a client has started.
    package func services(of client: Int) -> Set<LocationService> {
        guard let client = clients[client] else { return [] }
        var services: Set<LocationService> = []
        if client.updates != nil { services.insert(.updates) }
        if client.significantChanges != nil { services.insert(.significantChanges) }
        if client.wantsVisits { services.insert(.visits) }
        return services
    }

    package func nextDue(at now: LocationTime) -> Due { Due(boot: earliestDue) }

    private var earliestDue: Double? {
        var times = clients.values.compactMap { $0.request?.deadline }
        guard demand != nil else { return times.min() }
        if let silentSince, clients.values.contains(where: waitsInSilence) {
            times.append(silentSince + Self.patience)
        }
        if noticesRegions, let due = regions.nextDue { times.append(due) }
        if wantsVisits, let due = visits.nextDue { times.append(due) }
        for client in clients.values where mayPause(client) {
            if let due = client.updates?.standstill.nextDue { times.append(due) }
        }
        return times.min()
    }

    // MARK: Inputs

    package mutating func handle(_ input: Input, at now: LocationTime) -> [Effect] {
        guard !hasEnded else { return [] }
        var effects: [Effect] = []
        switch input {
        case .options(let id, let options): set(options, of: id)
        case .start(let id, let service): start(service, of: id, at: now, &effects)
        case .stop(let id, let service): stop(service, of: id)
        case .request(let id):
            clients[id, default: Client()].request = Request(beganInForeground: isForeground)
            clients[id]?.knowsOfDenial = false
        case .watch(let region, let id): watch(region, by: id, &effects)
        case .unwatch(let identifier):
            guard regions.region(identifier) != nil else { return [] }
            regions.stop(identifier)
            questions[identifier] = nil
            effects.append(.save)
        case .wantRegions(let identifiers): wantedRegions = identifiers
        case .observed(let identifier, let state):
            report(regions.observe(state, of: identifier), &effects)
        case .requestState(let identifier, let id): askState(identifier, by: id, &effects)
        case .left(let id):
            clients[id] = nil
            for identifier in questions.keys { questions[identifier]?.remove(id) }
        case .host(let isForeground): host(isForeground, &effects)
        case .declared(let hasBackgroundMode, let usage):
            self.hasBackgroundMode = hasBackgroundMode
            authorization.usage = usage
        case .requestAuthorization(let scope):
            if let prompt = authorization.request(scope, isForeground: isForeground) {
                if prompt.isUpgrade { effects.append(.save) }
                effects.append(.prompt(prompt))
            }
        case .authorize(let status): authorize(status, &effects)
        case .source(let number, let event):
            guard demand != nil, number == sourceNumber else { return [] }
            handle(event, at: now, &effects)
        case .replaceSource:
            guard let demand else { return [] }
            effects.append(.close)
            openSource(demand, at: now, &effects)
        case .restore(let record): restore(record)
        case .end:
            defer { self = LocationPolicy(ending: self) }
            return demand == nil ? [] : [.close]
        case .timePassed: pass(now, &effects)
        }
        settle(at: now, &effects)
        return effects
    }

    /// Continues from the record of an earlier process.
    private mutating func restore(_ record: Record) {
        let usage = usage
        authorization = LocationAuthorization(
            record.status, usage: usage, hasAskedForUpgrade: record.hasAskedForUpgrade)
        regions = RegionMonitor(record.regions)
    }

    /// A policy with the record of another one, which decides nothing any more.
    private init(ending other: LocationPolicy) {
        self.init(other.record)
        hasEnded = true
    }

    // MARK: Clients

    private mutating func set(_ options: LocationOptions, of id: Int) {
        clients[id, default: Client()].options = options
        clients[id]?.updates?.filter.distance = options.distanceFilter
    }

    private mutating func start(
        _ service: LocationService, of id: Int, at now: LocationTime, _ effects: inout [Effect]
    ) {
        let isNew = !services(of: id).contains(service)
        var client = clients[id] ?? Client()
        client.knowsOfDenial = false
        switch service {
        case .updates where !isNew:
            if client.updates?.isPaused == true { effects.append(.resumed(id)) }
            client.updates?.isPaused = false
            client.updates?.standstill = StandstillWatch()
            if isForeground { client.updates?.beganInForeground = true }
        case .updates:
            client.updates = Updates(
                filter: LocationFilter(distance: client.options.distanceFilter),
                beganInForeground: isForeground)
        case .significantChanges where isNew: client.significantChanges = .init()
        case .significantChanges: break
        case .visits: client.wantsVisits = true
        }
        clients[id] = client
        if isNew { offerLastFix(to: id, service, at: now, &effects) }
    }

    /// Gives a client that starts what is known already.
    private mutating func offerLastFix(
        to id: Int, _ service: LocationService, at now: LocationTime, _ effects: inout [Effect]
    ) {
        guard demand != nil, let fix = lastFix else { return }
        let isFresh = now.boot - fix.arrival <= Self.freshness
        if isFresh || sourceState == .available(isSteady: false), wants(fix, id, service, &effects)
        {
            effects.append(.deliver(fix, to: id))
        }
    }

    private mutating func stop(_ service: LocationService, of id: Int) {
        switch service {
        case .updates:
            clients[id]?.updates = nil
            clients[id]?.request = nil
        case .significantChanges: clients[id]?.significantChanges = nil
        case .visits: clients[id]?.wantsVisits = false
        }
    }

    private mutating func authorize(
        _ status: LocationAuthorization.Status, _ effects: inout [Effect]
    ) {
        guard status != authorization.status else { return }
        authorization.decide(status)
        for id in clients.keys { clients[id]?.knowsOfDenial = false }
        effects += [.save, .authorized(status)]
    }

    private mutating func host(_ isForeground: Bool, _ effects: inout [Effect]) {
        guard isForeground != self.isForeground else { return }
        self.isForeground = isForeground
        if isForeground {
            for id in clients.keys.sorted() where clients[id]?.updates?.isPaused == true {
                resume(id, &effects)
            }
        } else if clients.values.contains(where: { !$0.isEmpty }),
            let prompt = authorization.useInBackground()
        {
            effects += [.save, .prompt(prompt)]
        }
    }

    mutating func resume(_ id: Int, _ effects: inout [Effect]) {
        clients[id]?.updates?.isPaused = false
        clients[id]?.updates?.standstill = StandstillWatch()
        effects.append(.resumed(id))
    }

    // MARK: Regions

    private mutating func watch(
        _ region: CircularRegion, by id: Int, _ effects: inout [Effect]
    ) {
        if status == .never || status == .restricted {
            effects.append(.notWatching(region, .regionsDenied, by: id))
        } else if let fault = regions.start(region) {
            effects.append(.notWatching(region, .region(fault), by: id))
        } else {
            effects += [.save, .watching(region.identifier, by: id)]
        }
    }

    private mutating func askState(
        _ identifier: String, by id: Int, _ effects: inout [Effect]
    ) {
        let state = regions.state(of: identifier)
        if state == .unknown {
            questions[identifier, default: []].insert(id)
        } else {
            effects.append(.regionState(identifier, state ?? .unknown, to: id))
        }
    }
}
