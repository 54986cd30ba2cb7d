package import UndersongControl
package import UndersongLocation

extension WatchRegions.Region {
    package init(_ kept: LocationDesk.Record.Region) {
        let region = kept.region
        self.init(
            identifier: region.identifier, latitude: region.center.latitude,
            longitude: region.center.longitude, radius: region.radius,
            notifiesOnEntry: region.notifiesOnEntry, notifiesOnExit: region.notifiesOnExit,
            state: kept.state.rawValue)
    }

    /// The region as a desk has it.
    package var record: LocationDesk.Record.Region {
        LocationDesk.Record.Region(
            region: CircularRegion(
                identifier: identifier,
                center: Coordinate(latitude: latitude, longitude: longitude), radius: radius,
                notifiesOnEntry: notifiesOnEntry, notifiesOnExit: notifiesOnExit),
            state: RegionState(rawValue: state) ?? .unknown)
    }
}
