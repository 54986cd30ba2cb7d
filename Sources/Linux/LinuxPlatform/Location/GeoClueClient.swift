import UndersongBase
import UndersongLocation

/// This program's client at GeoClue, over one connection. It is owned by one thread.
struct GeoClueClient: ~Copyable {
    /// The result of a wait.
    enum Arrival {
        /// A fix, whose time is 0 if GeoClue does not say one.
        case fix(LocationFix)
        /// Another thread has woken this one.
        case wakeup
        /// Nothing of use.
        case nothing
        /// GeoClue has ended.
        case gone
        /// The bus was lost.
        case loss
    }

    private static let service = "org.freedesktop.GeoClue2"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    private let connection: BusConnection
    private let path: String
    /// GeoClue's own connection.
    private let owner: String?
    private var demand: LocationDemand?

    /// Asks GeoClue, which is started for this, for a client.
    ///
    /// - Throws: An error if there is no GeoClue, or no client within so many seconds.
    init(_ connection: consuming BusConnection, within seconds: Double) throws(BusError) {
        let manager = BusConnection.Target(
            service: Self.service, path: "/org/freedesktop/GeoClue2/Manager",
            interface: Self.service + ".Manager")
        connection.match(
            "type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.service)'")
        let reply = try connection.request(
            "GetClient", of: manager, [], within: seconds, startsService: true)
        guard let path = reply.objectPath() else {
            throw BusError(.failed, "GeoClue does not accept this program as a client")
        }
        connection.match(
            "type='signal',sender='\(Self.service)',interface='\(Self.service).Client'"
                + ",member='LocationUpdated',path='\(path)'")
        self.connection = connection
        self.path = path
        owner = reply.sender
    }

    /// Begins to measure.
    ///
    /// - Throws: An error if GeoClue refuses.
    mutating func start(_ demand: LocationDemand, desktopID: String) throws(BusError) {
        try set("DesktopId", .string(desktopID))
        try set("TimeThreshold", .uint32(0))
        try apply(demand)
        try ask("Start")
    }

    /// Measures by another demand.
    ///
    /// - Throws: An error if GeoClue refuses.
    mutating func change(_ demand: LocationDemand) throws(BusError) {
        guard demand != self.demand else { return }
        // GeoClue chooses its sources by the accuracy when it starts.
        let restarts = demand.level != self.demand?.level
        if restarts { try ask("Stop") }
        try apply(demand)
        if restarts { try ask("Start") }
    }

    private mutating func apply(_ demand: LocationDemand) throws(BusError) {
        try set("RequestedAccuracyLevel", .uint32(demand.level))
        try set("DistanceThreshold", .uint32(demand.threshold))
        self.demand = demand
    }

    private func set(_ name: String, _ value: BusValue) throws(BusError) {
        let target = BusConnection.Target(
            service: Self.service, path: path, interface: Self.properties)
        _ = try connection.request(
            "Set", of: target, [.string(Self.service + ".Client"), .string(name), .variant(value)])
    }

    /// GeoClue may ask its agent, and that the user.
    private func ask(_ member: String) throws(BusError) {
        let target = BusConnection.Target(
            service: Self.service, path: path, interface: Self.service + ".Client")
        _ = try connection.request(member, of: target, [], within: 60)
    }

    /// Waits for the next message, or for `wakeup`. Of the places that have come meanwhile, because
    /// this process was stopped, the newest is of use.
    func next(or wakeup: Wakeup) -> Arrival {
        var location: String?
        var arrival = evaluate(connection.next(or: wakeup), &location)
        while arrival == nil { arrival = evaluate(connection.receive(), &location) }
        return arrival ?? .nothing
    }

    /// Returns the result of the arrived messages, with the last `location` reported; nil if more
    /// may have arrived.
    private func evaluate(
        _ arrival: consuming BusConnection.Arrival, _ location: inout String?
    ) -> Arrival? {
        switch consume arrival {
        case .message(let message):
            if isEnd(message) { return .gone }
            location = self.location(in: message) ?? location
            return nil
        case .wakeup: return .wakeup
        case .nothing:
            guard let location, let fix = fix(at: location) else { return .nothing }
            return .fix(fix)
        case .loss: return .loss
        }
    }

    /// Returns true if a message says that GeoClue has ended. It may have appeared for this client.
    private func isEnd(_ message: borrowing BusMessage) -> Bool {
        message.isSignal(Self.bus, "NameOwnerChanged") && message.sender == Self.bus
            && message.string() == Self.service && message.string() == owner
    }

    /// The path of the place that a message reports, after that of the one before.
    private func location(in message: borrowing BusMessage) -> String? {
        guard message.isSignal(Self.service + ".Client", "LocationUpdated"), message.path == path,
            message.sender == owner, message.objectPath() != nil,
            let location = message.objectPath(), location != "/"
        else { return nil }
        return location
    }

    /// Reads a place, which is there until the next one comes; nil if that has come.
    private func fix(at path: String) -> LocationFix? {
        let target = BusConnection.Target(
            service: Self.service, path: path, interface: Self.properties)
        let reply = connection.call("GetAll", of: target, .string(Self.service + ".Location"))
        return reply?.values()?.first.flatMap { LocationFix(geoClue: $0.namedValues) }
    }
}

extension LocationFix {
    /// GeoClue guesses an accuracy from the dilution of precision, and calls up to 3 m 0.
    private static let bestAccuracy = 3.0

    /// Creates a fix of the properties of a place of GeoClue; nil if the place or its accuracy is
    /// missing.
    fileprivate init?(geoClue values: [String: BusValue]) {
        func number(_ name: String) -> Double? {
            if case .double(let number)? = values[name], number.isFinite { number } else { nil }
        }
        guard let latitude = number("Latitude"), let longitude = number("Longitude"),
            let accuracy = number("Accuracy")
        else { return nil }
        // Unknown values are the lowest number, or -1.
        let altitude = number("Altitude").flatMap { $0 > -1e6 ? $0 : nil }
        self.init(
            Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: accuracy < 0 ? accuracy : max(accuracy, Self.bestAccuracy),
            altitude: altitude, verticalAccuracy: altitude.map { _ in max(accuracy, 10) },
            speed: number("Speed").flatMap { $0 >= 0 ? $0 : nil },
            course: number("Heading").flatMap { $0 >= 0 ? $0 : nil }, time: 0, source: .geoClue)
        if case .structure(let parts)? = values["Timestamp"], parts.count == 2,
            case .uint64(let seconds) = parts[0], case .uint64(let microseconds) = parts[1],
            seconds > 0
        {
            time = Double(seconds) + Double(microseconds) / 1e6
        }
    }
}

extension LocationDemand {
    /// GeoClue's level: 4 a city, 5 a neighborhood, 6 a street, 8 exact.
    fileprivate var level: UInt32 {
        switch accuracy.value {
        case ..<100: 8
        case ..<1000: 6
        case ..<3000: 5
        default: 4
        }
    }

    /// GeoClue's threshold in whole meters, not above what is wanted.
    fileprivate var threshold: UInt32 {
        distance.isFinite ? UInt32(min(max(distance, 0), 1e6)) : 0
    }
}
