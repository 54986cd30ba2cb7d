import UndersongBase

/// The properties of other services' objects, over one connection. It is owned by one thread, which
/// waits in it.
struct PropertySession: ~Copyable {
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    private let connection: BusConnection
    private let objects: [WatchedObject]
    /// The connections of the services that are running, by name.
    private var owners: [String: String] = [:]

    /// The properties known so far, by name; those of a service that is not running are missing.
    private(set) var values: [WatchedObject: [String: BusValue]] = [:]

    /// Connects; nil if there is no such bus. Nothing is requested before `begin`.
    init?(_ objects: [WatchedObject], address: String?) {
        guard let connection = BusConnection(address.map { .at($0) } ?? .system) else { return nil }
        self.connection = connection
        self.objects = objects
    }

    /// The socket to the bus; `shutdown` on it ends every wait.
    var descriptor: Int32 { connection.descriptor }

    /// Requests the signals and the current properties. No service is started for this. Returns
    /// false if the bus does not accept this process.
    mutating func begin() -> Bool {
        for service in Set(objects.map(\.service)) {
            let isHeard = connection.match(
                "type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(service)'")
            guard isHeard else { return false }
        }
        for object in objects {
            let source = "type='signal',sender='\(object.service)',path='\(object.path)'"
            connection.match(
                source + ",interface='\(Self.properties)',member='PropertiesChanged'"
                    + ",arg0='\(object.interface)'")
            if let signal = object.signal {
                connection.match(
                    source + ",interface='\(object.interface)',member='\(signal)'")
            }
        }
        for service in Set(objects.map(\.service)) { readAll(of: service) }
        return true
    }

    /// Waits for the next signal and handles it, for `wakeup`, or for `seconds`; nil for ever.
    /// Returns false if the bus is lost.
    mutating func follow(or wakeup: Wakeup, within seconds: Double?) -> Bool {
        switch connection.next(or: wakeup, within: seconds) {
        case .message(let signal): handle(signal)
        case .wakeup: break
        case .nothing: break
        case .loss: return false
        }
        return true
    }

    /// Handles a signal. Anybody may send one that looks like a service's.
    private mutating func handle(_ signal: borrowing BusMessage) {
        if signal.sender == Self.bus {
            guard signal.isSignal(Self.bus, "NameOwnerChanged"), let name = signal.string() else {
                return
            }
            return readAll(of: name)
        }
        let (path, sender) = (signal.path, signal.sender)
        for object in objects where object.path == path && owners[object.service] == sender {
            if let name = object.signal, signal.isSignal(object.interface, name) {
                values[object, default: [:]][name] = signal.boolean().map { .boolean($0) }
            } else if signal.isSignal(Self.properties, "PropertiesChanged") {
                applyChanges(signal, of: object)
            }
            return
        }
    }

    private mutating func applyChanges(_ signal: borrowing BusMessage, of object: WatchedObject) {
        guard signal.string() == object.interface, let arguments = signal.values(),
            arguments.count == 2, case .array(_, let invalid) = arguments[1], invalid.isEmpty
        else { return read(object) }
        values[object, default: [:]].merge(arguments[0].namedValues) { $1 }
    }

    /// Reads everything: the service appeared, disappeared or was replaced, or this is the first
    /// time.
    private mutating func readAll(of service: String) {
        owners[service] = connection.owner(of: service)
        for object in objects where object.service == service { read(object) }
    }

    private mutating func read(_ object: WatchedObject) {
        guard owners[object.service] != nil else {
            values[object] = nil
            return
        }
        let target = BusConnection.Target(
            service: object.service, path: object.path, interface: Self.properties)
        let reply = connection.call("GetAll", of: target, .string(object.interface))
        values[object] = reply?.values()?.first?.namedValues
    }
}

extension BusValue {
    /// The values of a dictionary of variants by name.
    var namedValues: [String: BusValue] {
        guard case .array(of: "{sv}", let entries) = self else { return [:] }
        var values: [String: BusValue] = [:]
        for case .entry(.string(let name), .variant(let value)) in entries { values[name] = value }
        return values
    }
}
