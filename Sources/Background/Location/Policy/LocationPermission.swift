extension LocationPolicy {
    /// The reason why a client gets nothing of a service; nil if nothing stands against it.
    package func obstacle(to service: LocationService, of id: Int) -> LocationObstacle? {
        let client = clients[id]
        if service == .updates, client?.updates?.isPaused == true { return .paused }
        return permission(service, client)
    }

    /// True if a client gets updates, or the fix that it has requested, or would get them if the
    /// machine moved.
    package var isDelivering: Bool {
        clients.values.contains { client in
            if client.updates != nil, permission(.updates, client) == nil { return true }
            return client.request.map { permission($0, of: client) == nil } ?? false
        }
    }

    /// The reason why the regions are not watched; nil if nothing stands against it.
    package var obstacleToRegions: LocationObstacle? { permissionInGeneral ?? backgroundLaunches }

    /// Returns the obstacle to a service. A pause is none: the source has to notice its end.
    func permission(_ service: LocationService, _ client: Client?) -> LocationObstacle? {
        if let obstacle = permissionInGeneral { return obstacle }
        guard service == .updates else { return backgroundLaunches }
        return backgroundUpdates(client, client?.updates?.beganInForeground == true)
    }

    func permission(_ request: Request, of client: Client) -> LocationObstacle? {
        permissionInGeneral ?? backgroundUpdates(client, request.beganInForeground)
    }

    private var permissionInGeneral: LocationObstacle? {
        guard usage.isDeclared else { return .noUsageDescription }
        switch status {
        case .notDetermined: return .notDetermined
        case .restricted: return .restricted
        case .never: return .denied
        case .always, .whenInUse: return nil
        }
    }

    /// The obstacle to updates in the background, which need the mode.
    private func backgroundUpdates(
        _ client: Client?, _ beganInForeground: Bool
    ) -> LocationObstacle? {
        if isForeground { return nil }
        if !hasBackgroundMode { return .noBackgroundMode }
        if client?.options.allowsBackground != true { return .foregroundOnly }
        return status == .always || beganInForeground ? nil : .whenInUseOnly
    }

    /// The obstacle to services that need no mode, but may launch the host.
    private var backgroundLaunches: LocationObstacle? {
        isForeground || status == .always ? nil : .whenInUseOnly
    }

    var wantsVisits: Bool {
        permission(.visits, nil) == nil && clients.values.contains(where: \.wantsVisits)
    }

    /// True if regions are noticed while a source is open.
    var noticesRegions: Bool { obstacleToRegions == nil && !regions.isEmpty }

    /// True if a source is opened for regions.
    private var watchesRegions: Bool {
        guard noticesRegions else { return false }
        return wantedRegions?.contains { regions.state(of: $0) != nil } ?? true
    }

    /// Returns true if a client's updates pause when the machine does not move.
    func mayPause(_ client: Client) -> Bool {
        guard let updates = client.updates, !isForeground else { return false }
        return client.options.pausesAutomatically && !updates.isPaused
            && permission(.updates, client) == nil
    }

    // MARK: The source

    /// The demand on the source; nil if nobody who may have fixes wants any.
    private var wanted: LocationDemand? {
        var demands: [LocationDemand] = []
        for client in clients.values {
            if let updates = client.updates, permission(.updates, client) == nil {
                demands.append(demand(of: client.options, isPaused: updates.isPaused))
            }
            if let request = client.request, permission(request, of: client) == nil {
                demands.append(LocationDemand(accuracy: client.options.accuracy))
            }
            if client.significantChanges != nil, permission(.significantChanges, client) == nil {
                demands.append(LocationDemand(accuracy: .hundredMeters, distance: 100))
            }
        }
        if wantsVisits { demands.append(LocationDemand(accuracy: .hundredMeters)) }
        if watchesRegions { demands.append(LocationDemand(accuracy: .nearestTenMeters)) }
        guard let accuracy = demands.map(\.accuracy).min() else { return nil }
        return LocationDemand(
            accuracy: accuracy, distance: demands.map(\.distance).min() ?? 0)
    }

    private func demand(of options: LocationOptions, isPaused: Bool) -> LocationDemand {
        if isPaused { return LocationDemand(accuracy: .hundredMeters, distance: 50) }
        let accuracy =
            isForeground
            ? options.accuracy : options.backgroundAccuracy.map { max($0, options.accuracy) }
        return LocationDemand(
            accuracy: accuracy ?? options.accuracy, distance: max(0, options.distanceFilter))
    }

    /// Opens, changes or closes the source as it is wanted, and notifies those who are denied it.
    mutating func settle(at now: LocationTime, _ effects: inout [Effect]) {
        reportDenial(&effects)
        followVisits()
        if !clients.values.contains(where: \.wantsVisits) { visits = VisitDetector() }
        // What is not observed without a gap says nothing about how long one stays.
        if !wantsVisits { visits.interrupt() }
        let wanted = wanted
        if wanted == nil || !noticesRegions { regions.interrupt() }
        guard wanted != demand else { return startRequests(at: now) }
        switch (demand, wanted) {
        case (nil, let wanted?): openSource(wanted, at: now, &effects)
        case (_, let wanted?): effects.append(.change(wanted))
        case (_, nil):
            sourceState = nil
            silentSince = nil
            effects.append(.close)
        }
        demand = wanted
        startRequests(at: now)
    }

    /// Starts and stops visits of clients that want them beside their updates.
    private mutating func followVisits() {
        for (id, client) in clients where client.options.noticesVisits {
            let wantsVisits =
                client.updates != nil && client.options.worstAccuracy <= .hundredMeters
                && obstacle(to: .updates, of: id) == nil
            clients[id]?.wantsVisits = wantsVisits
        }
    }

    /// Opens a source, which begins to measure.
    mutating func openSource(
        _ demand: LocationDemand, at now: LocationTime, _ effects: inout [Effect]
    ) {
        sourceNumber += 1
        effects.append(.open(demand, as: sourceNumber))
        validation.reset()
        sourceState = .searching
        reportedFailure = nil
        silentSince = now.boot
    }

    private mutating func startRequests(at now: LocationTime) {
        for (id, client) in clients {
            guard let request = client.request else { continue }
            if permission(request, of: client) != nil {
                clients[id]?.request?.deadline = nil
            } else if request.deadline == nil {
                clients[id]?.request?.deadline = now.boot + Self.requestTime
            }
        }
    }

    private mutating func reportDenial(_ effects: inout [Effect]) {
        guard usage.isDeclared else { return }
        var reason: String?
        switch status {
        case .never: reason = "the user does not allow it"
        case .restricted: reason = "the system does not allow it"
        case .notDetermined: return
        case .always, .whenInUse:
            if case .denied(let why) = sourceState { reason = why }
        }
        guard let reason else { return }
        for (id, client) in clients.sorted(by: { $0.key < $1.key }) where !client.knowsOfDenial {
            guard !client.isEmpty else { continue }
            clients[id]?.knowsOfDenial = true
            clients[id]?.request = nil
            effects.append(.fail(.denied(reason), id))
        }
    }
}
