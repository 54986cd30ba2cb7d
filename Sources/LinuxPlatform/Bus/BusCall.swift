/// A call of a method of one of this process's objects.
package struct BusCall: Hashable, Sendable {
    /// Names the call where it is answered; nil: the caller wants no answer.
    package var id: Int?
    /// The object.
    package var path: String
    /// The interface; nil: the caller has named none.
    package var interface: String?
    /// The method.
    package var member: String
    /// What it carries; nil: values that a `BusValue` cannot be, as descriptors.
    package var arguments: [BusValue]?
    /// The types of what it carries, in D-Bus's letters.
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

/// A signal of one of this process's objects.
package struct BusSignal: Hashable, Sendable {
    /// The object.
    package var path: String
    package var interface: String
    /// The signal's name.
    package var member: String
    package var arguments: [BusValue]

    package init(path: String, interface: String, member: String, _ arguments: [BusValue]) {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// Why a method did not do what it was called for.
package struct BusError: Error, Hashable, Sendable {
    /// Which error it is, as programs read it: `org.freedesktop.DBus.Error.Failed`.
    package var name: String
    /// What could not be done and why, as people read it.
    package var message: String

    package init(name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// One of D-Bus's own errors.
    package init(_ standard: Standard, _ message: String) {
        self.init(name: "org.freedesktop.DBus.Error." + standard.rawValue, message)
    }

    /// The errors that D-Bus itself has names for.
    package enum Standard: String, Sendable {
        case failed = "Failed"
        case invalidArguments = "InvalidArgs"
        case limitsExceeded = "LimitsExceeded"
        case notSupported = "NotSupported"
        case propertyReadOnly = "PropertyReadOnly"
        case unknownInterface = "UnknownInterface"
        case unknownMethod = "UnknownMethod"
        case unknownObject = "UnknownObject"
        case unknownProperty = "UnknownProperty"
    }
}
