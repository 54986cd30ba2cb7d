package import UndersongLocation
import UndersongPlayback

extension MeasuredLocation {
    /// What a fix says, without what is unknown.
    package init(_ fix: LocationFix) {
        self.init(
            latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
            accuracy: fix.horizontalAccuracy,
            altitude: fix.verticalAccuracy >= 0 ? fix.altitude : nil,
            speed: fix.speed >= 0 ? fix.speed : nil, course: fix.course >= 0 ? fix.course : nil,
            time: fix.time)
    }
}
