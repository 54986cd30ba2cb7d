/// Receives what a manager reports, on the main queue. Every method has a default.
public protocol CLLocationManagerDelegate: AnyObject {
    /// New places, the newest last; here one at a time. Without this method the old one below is
    /// called.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

    /// A new place, and the last one before it (iOS 2 to 5). Called only where the method above is
    /// not implemented (N6).
    func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation,
        from oldLocation: CLLocation?)

    /// There is no place: a `CLError`.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

    /// The manager was created, or the authorization has changed. Without this method the old one
    /// below is called.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

    /// Reports the authorization, as before iOS 14. Called only where the method above is not
    /// implemented.
    func locationManager(
        _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

    /// Updates are paused, because the machine does not move.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

    /// Updates continue after a pause.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

    /// A region is watched.
    func locationManager(
        _ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

    /// A region cannot be watched: a `CLError`.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?,
        withError error: any Error)

    /// Reports the side of a region on which the machine is: the answer to `requestState(for:)`, and
    /// before each of the two below.
    func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)

    /// The machine has entered a region.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

    /// The machine has left a region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

    /// A stay has begun or ended.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
}

extension CLLocationManagerDelegate {
    /// Calls the old method with the last of them.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
        guard let newest = locations.last else { return }
        locationManager(manager, didUpdateTo: newest, from: manager.previousLocation)
    }

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation,
        from oldLocation: CLLocation?
    ) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didFailWithError error: any Error
    ) {}

    /// Calls the old method.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
    }

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
    ) {}

    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didStartMonitoringFor region: CLRegion
    ) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
}
