package import UndersongBase
package import UndersongLocation

/// Has positions of a gpsd reported by `GPSChanged` until it is closed, or the connection ends.
/// Answered by `undersong-transferd`.
package struct OpenGPS: ControlCall, Hashable {
    /// The new watch.
    package struct Reply: Codable, Hashable, Sendable {
        /// Identifies it; never reused.
        package var id: Int

        package init(id: Int) { self.id = id }
    }

    package static let method = "gps.open"
    /// The name or the address of gpsd's machine.
    package var host: String
    /// The port, 1 to 65535.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

/// Ends a watch; its connection to gpsd is closed at once.
package struct CloseGPS: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "gps.close"
    /// The watch.
    package var id: Int

    package init(id: Int) { self.id = id }
}

/// News of a gpsd that is watched.
package struct GPSChanged: ControlNotice, Hashable {
    package static let method = "gps.changed"
    /// The watch.
    package var id: Int
    /// The newest position; nil if there is none.
    package var fix: LocationFix?
    /// The reason there is no position.
    package var reason: String?
    /// The seconds until gpsd, which does not answer, is tried again; nil if it answers.
    package var retry: Double?

    package init(id: Int, _ report: GpsdWatcher.Report) {
        self.id = id
        switch report {
        case .fix(let fix): self.fix = fix
        case .noFix(let reason): self.reason = reason
        case .unavailable(let reason, let retry): (self.reason, self.retry) = (reason, retry)
        }
    }
}
