extension LocationPolicy {
    mutating func handle(
        _ event: LocationSourceEvent, at now: LocationTime, _ effects: inout [Effect]
    ) {
        switch event {
        case .state(let state): follow(state, at: now, &effects)
        case .fix(let fix):
            switch validation.judge(fix, at: now) {
            case .refused(let fault): effects.append(.refused(fix, fault))
            case .believed(let fix): distribute(fix, at: now, &effects)
            }
        }
    }

    private mutating func follow(
        _ state: LocationSourceState, at now: LocationTime, _ effects: inout [Effect]
    ) {
        sourceState = state
        if case .unavailable(let reason) = state, reason != reportedFailure {
            reportedFailure = reason
            effects.append(.sourceFailed(reason))
        }
        switch state {
        case .searching, .unavailable, .available(isSteady: true):
            silentSince = silentSince ?? now.boot
        case .available(isSteady: false): break
        case .denied: silentSince = nil
        }
    }

    private mutating func distribute(
        _ fix: LocationFix, at now: LocationTime, _ effects: inout [Effect]
    ) {
        lastFix = fix
        reportedFailure = nil
        silentSince = sourceState == .available(isSteady: false) ? nil : now.boot
        for id in clients.keys.sorted() {
            clients[id]?.updates?.knowsOfSilence = false
            // Each of them sees the fix, which the client gets once.
            let isForUpdates = wants(fix, id, .updates, &effects)
            let isForChanges = wants(fix, id, .significantChanges, &effects)
            let isForRequest = answersRequest(fix, id)
            if isForUpdates || isForChanges || isForRequest {
                effects.append(.deliver(fix, to: id))
            }
        }
        if noticesRegions { report(regions.receive(fix), &effects) }
        if wantsVisits { report(visits.receive(fix), &effects) }
    }

    /// Returns true if a client gets a fix that it may have for `service`.
    mutating func wants(
        _ fix: LocationFix, _ id: Int, _ service: LocationService, _ effects: inout [Effect]
    ) -> Bool {
        guard permission(service, clients[id]) == nil else { return false }
        switch service {
        case .updates:
            watchStandstill(fix, id, &effects)
            guard clients[id]?.updates?.isPaused == false else { return false }
            return clients[id]?.updates?.filter.accepts(fix) == true
        case .significantChanges: return clients[id]?.significantChanges?.accepts(fix) == true
        case .visits: return false
        }
    }

    private mutating func watchStandstill(
        _ fix: LocationFix, _ id: Int, _ effects: inout [Effect]
    ) {
        guard var updates = clients[id]?.updates else { return }
        let hasMoved = updates.standstill.hasMoved(fix)
        let isStill = updates.standstill.isStill(at: fix)
        clients[id]?.updates = updates
        if updates.isPaused, hasMoved { resume(id, &effects) }
        if isStill { pause(id, &effects) }
    }

    private mutating func pause(_ id: Int, _ effects: inout [Effect]) {
        guard let client = clients[id], mayPause(client) else { return }
        clients[id]?.updates?.isPaused = true
        effects.append(.paused(id))
    }

    /// Returns true if a fix is exact enough for the one that a client has requested.
    private mutating func answersRequest(_ fix: LocationFix, _ id: Int) -> Bool {
        guard let client = clients[id], var request = client.request,
            permission(request, of: client) == nil
        else { return false }
        if request.best.map({ fix.horizontalAccuracy <= $0.horizontalAccuracy }) ?? true {
            request.best = fix
        }
        let isExact = fix.horizontalAccuracy <= max(10, client.options.accuracy.value)
        clients[id]?.request = isExact ? nil : request
        return isExact
    }

    /// Returns true if a client would be notified that there is no fix.
    func waitsInSilence(_ client: Client) -> Bool {
        client.updates?.knowsOfSilence == false && permission(.updates, client) == nil
    }

    // MARK: Regions and visits

    mutating func report(_ events: [RegionEvent], _ effects: inout [Effect]) {
        guard !events.isEmpty else { return }
        effects.append(.save)
        for event in events {
            effects.append(.region(event))
            guard event.phase == .determined else { continue }
            for id in (questions.removeValue(forKey: event.region) ?? []).sorted() {
                effects.append(.regionState(event.region, event.side, to: id))
            }
        }
    }

    private func report(_ visits: [Visit], _ effects: inout [Effect]) {
        for visit in visits {
            for (id, client) in clients.sorted(by: { $0.key < $1.key }) where client.wantsVisits {
                effects.append(.visit(visit, to: id))
            }
        }
    }

    // MARK: Time

    mutating func pass(_ now: LocationTime, _ effects: inout [Effect]) {
        for id in clients.keys.sorted() {
            guard let request = clients[id]?.request, let deadline = request.deadline,
                deadline <= now.boot
            else { continue }
            clients[id]?.request = nil
            effects.append(
                request.best.map { .deliver($0, to: id) } ?? .fail(.locationUnknown, id))
        }
        guard demand != nil else { return }
        if let silentSince, silentSince + Self.patience <= now.boot {
            if now.boot - silentSince > Self.patience + Self.lateness {
                self.silentSince = now.boot
            } else {
                reportSilence(&effects)
            }
        }
        if noticesRegions { report(regions.advance(to: now.boot), &effects) }
        if wantsVisits { report(visits.advance(to: now.boot), &effects) }
        for id in clients.keys.sorted()
        where clients[id]?.updates?.standstill.isStill(at: now.boot) == true {
            pause(id, &effects)
        }
    }

    private mutating func reportSilence(_ effects: inout [Effect]) {
        for (id, client) in clients.sorted(by: { $0.key < $1.key }) where waitsInSilence(client) {
            clients[id]?.updates?.knowsOfSilence = true
            effects.append(.fail(.locationUnknown, id))
        }
    }
}
