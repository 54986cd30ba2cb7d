/// A call to a method of one of this process's objects.
package struct BusCall: Hashable, Sendable {
    /// Identifies the call for its answer; nil if the caller wants none.
    package var id: Int?
    /// The object.
    package var path: String
    /// The interface; nil if the caller named none.
    package var interface: String?
    /// The method.
    package var member: String
    /// The arguments; nil if some have types that `BusValue` lacks, such as descriptors.
    package var arguments: [BusValue]?
    /// The types of its arguments, as a D-Bus signature.
    package var signature: String

    package init(
        id: Int? = nil, path: String, interface: String?, member: String,
        arguments: [BusValue]? = [], signature: String? = nil
    ) {
        self.id = id
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.signature = signature ?? (arguments ?? []).map(\.signature).joined()
    }
}

/// A call of a method of another process.
package struct BusRequest: Hashable, Sendable {
    /// The name of the process on the bus.
    package var service: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
    /// True if the bus may start the process for it.
    package var startsService: Bool

    package init(
        service: String, path: String, interface: String, member: String,
        _ arguments: [BusValue] = [], startsService: Bool = false
    ) {
        self.service = service
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.startsService = startsService
    }

    /// A call of the bus itself.
    package static func bus(_ member: String, _ arguments: [BusValue] = []) -> BusRequest {
        BusRequest(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus", member: member, arguments)
    }
}

/// A signal, from one of this process's objects or from another one.
package struct BusSignal: Hashable, Sendable {
    /// The object.
    package var path: String
    package var interface: String
    /// The signal's name.
    package var member: String
    package var arguments: [BusValue]
    /// The unique name of the process that it came from, or the bus's own name.
    package var sender: String?

    package init(path: String, interface: String, member: String, _ arguments: [BusValue]) {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// The reason a method call failed.
package struct BusError: Error, Hashable, Sendable {
    /// The error's name, for programs: `org.freedesktop.DBus.Error.Failed`.
    package var name: String
    /// The failure and its reason, for people.
    package var message: String

    package init(name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// Creates one of D-Bus's standard errors.
    package init(_ standard: Standard, _ message: String) {
        self.init(name: "org.freedesktop.DBus.Error." + standard.rawValue, message)
    }

    /// Returns true if it is one of D-Bus's standard errors.
    package func isAny(of standard: Standard...) -> Bool {
        standard.contains { name == "org.freedesktop.DBus.Error." + $0.rawValue }
    }

    /// The errors that D-Bus itself defines.
    package enum Standard: String, Sendable {
        case failed = "Failed"
        case invalidArguments = "InvalidArgs"
        case limitsExceeded = "LimitsExceeded"
        case nameHasNoOwner = "NameHasNoOwner"
        case noReply = "NoReply"
        case notSupported = "NotSupported"
        case propertyReadOnly = "PropertyReadOnly"
        case serviceUnknown = "ServiceUnknown"
        case unknownInterface = "UnknownInterface"
        case unknownMethod = "UnknownMethod"
        case unknownObject = "UnknownObject"
        case unknownProperty = "UnknownProperty"
    }
}
