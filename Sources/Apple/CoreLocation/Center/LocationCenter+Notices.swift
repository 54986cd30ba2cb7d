import UndersongLocation

extension LocationCenter {
    /// Reports to a manager, or to all of them, what has happened.
    @MainActor func notify(_ notice: Notice) {
        switch notice {
        case .created(let number):
            notify(number) { $0.delegate?.locationManagerDidChangeAuthorization($0) }
        case .authorized(let last):
            for manager in managers where manager.number <= last {
                manager.delegate?.locationManagerDidChangeAuthorization(manager)
            }
        case .message(let text): state.withLock(\.messageHandler)?(text)
        case .effect(let effect): notify(effect)
        }
    }

    @MainActor private func notify(_ effect: LocationDesk.Effect) {
        switch effect {
        case .deliver(let fix, let number): notify(number) { $0.report(CLLocation(fix)) }
        case .fail(let failure, let number):
            notify(number) { $0.delegate?.locationManager($0, didFailWithError: CLError(failure)) }
        case .paused(let number):
            notify(number) { $0.delegate?.locationManagerDidPauseLocationUpdates($0) }
        case .resumed(let number):
            notify(number) { $0.delegate?.locationManagerDidResumeLocationUpdates($0) }
        case .visit(let visit, let number):
            notify(number) { $0.delegate?.locationManager($0, didVisit: CLVisit(visit)) }
        case .prompt(let prompt): state.withLock(\.promptHandler)?(prompt)
        case .refused(let fix, let fault):
            state.withLock(\.messageHandler)?(
                "a fix from \(fix.source.rawValue) was ignored: it is \(fault.description)")
        default: notifyOfRegion(effect)
        }
    }

    @MainActor private func notifyOfRegion(_ effect: LocationDesk.Effect) {
        switch effect {
        case .watching(let identifier, let number):
            guard let region = region(identifier) else { return }
            notify(number) { $0.delegate?.locationManager($0, didStartMonitoringFor: region) }
        case .notWatching(let region, let failure, let number):
            notify(number) { manager in
                manager.delegate?.locationManager(
                    manager, monitoringDidFailFor: CLCircularRegion(region),
                    withError: CLError(failure))
            }
        case .regionState(let identifier, let state, let number):
            guard let region = region(identifier) else { return }
            notify(number) {
                $0.delegate?.locationManager(
                    $0, didDetermineState: CLRegionState(state), for: region)
            }
        case .region(let event) where event.phase != .determined:
            notifyOfCrossing(event.region, CLRegionState(event.side))
        default: break
        }
    }

    @MainActor private func notifyOfCrossing(_ identifier: String, _ state: CLRegionState) {
        guard let region = region(identifier) else { return }
        for manager in managers {
            manager.delegate?.locationManager(manager, didDetermineState: state, for: region)
            if state == .inside {
                manager.delegate?.locationManager(manager, didEnterRegion: region)
            } else {
                manager.delegate?.locationManager(manager, didExitRegion: region)
            }
        }
    }

    private func region(_ identifier: String) -> CLCircularRegion? {
        regions.first { $0.identifier == identifier }.map { CLCircularRegion($0) }
    }

    /// All of them, the oldest first.
    private var managers: [CLLocationManager] {
        state.withLock { state in
            state.managers.sorted { $0.key < $1.key }.compactMap(\.value.manager)
        }
    }

    @MainActor private func notify(_ number: Int, _ body: (CLLocationManager) -> Void) {
        let manager = state.withLock { $0.managers[number]?.manager }
        if let manager { body(manager) }
    }
}
