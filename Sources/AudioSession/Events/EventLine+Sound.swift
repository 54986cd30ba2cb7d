import Background

/// The fields of what happens on the sound server.
extension EventLine {
    /// A device, as far as a reader of events is told of it.
    struct Device: Encodable {
        var name: String
        var description: String
        var port: String

        init(_ device: OutputDevice) {
            name = device.name
            description = device.description
            port = device.port.rawValue
        }
    }

    mutating func fill(_ change: RouteChange) {
        reason = change.reason.name
        reasonCode = change.reason.rawValue
        previous = .some(change.previous.map { Device($0) })
        route = .some(change.current.map { Device($0) })
    }

    mutating func fill(_ event: InterruptionEvent) {
        type = event.hasBegun ? "began" : "ended"
        source = event.source.kind
        by = event.source.name
        shouldResume = event.hasBegun ? nil : event.shouldResume
    }

    mutating func fill(_ audio: OtherAudio) {
        playing = audio != .none
        mixable = audio == .mixable
    }
}

extension RouteChangeReason {
    /// Apple's word for it.
    fileprivate var name: String {
        switch self {
        case .unknown: "unknown"
        case .newDeviceAvailable: "newDeviceAvailable"
        case .oldDeviceUnavailable: "oldDeviceUnavailable"
        case .categoryChange: "categoryChange"
        case .override: "override"
        case .wakeFromSleep: "wakeFromSleep"
        case .noSuitableRouteForCategory: "noSuitableRouteForCategory"
        case .routeConfigurationChange: "routeConfigurationChange"
        }
    }
}

extension InterruptionSource {
    /// The name of who interrupts; nil where the kind says it all.
    package var name: String? {
        switch self {
        case .call(let application): application
        case .session(let name): name
        case .command, .sleep: nil
        }
    }
}
