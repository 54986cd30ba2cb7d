package import UndersongBase

/// A background mode by its key in `UIBackgroundModes` (B2).
public enum BackgroundMode: String, Codable, Hashable, Sendable, CaseIterable {
    /// Playing or recording sound.
    case audio
    /// Location updates.
    case location
    /// Voice over IP.
    case voip
    /// An external accessory.
    case externalAccessory = "external-accessory"
    /// A Bluetooth LE central.
    case bluetoothCentral = "bluetooth-central"
    /// A Bluetooth LE peripheral.
    case bluetoothPeripheral = "bluetooth-peripheral"
    /// Background fetch.
    case fetch
    /// Silent push messages.
    case remoteNotification = "remote-notification"
    /// Long maintenance work.
    case processing
}

/// The background modes that a host has declared. A mode that is not declared is off (B1).
public struct Capabilities: Equatable, Sendable {
    /// The declared modes.
    public var backgroundModes: Set<BackgroundMode>
    /// The identifiers of background tasks that may be registered and submitted (G1).
    public var permittedIdentifiers: Set<String>

    /// Creates a declaration; without a mode nothing may run in the background.
    public init(
        backgroundModes: Set<BackgroundMode> = [], permittedIdentifiers: Set<String> = []
    ) {
        self.backgroundModes = backgroundModes
        self.permittedIdentifiers = permittedIdentifiers
    }
}

/// Capabilities, and where they are declared.
public struct Declaration: Equatable, Sendable {
    /// The capabilities.
    public var capabilities: Capabilities
    /// The place, as reported in events: a path, an option's name, or `none`.
    public var source: String

    /// Creates a declaration, by default of nothing, nowhere.
    public init(_ capabilities: Capabilities = Capabilities(), in source: String = "none") {
        self.capabilities = capabilities
        self.source = source
    }
}

/// The background modes and where they are declared.
package struct CapabilityStatus: Codable, Hashable, Sendable {
    /// A mode, and whether it is declared.
    package struct Mode: Codable, Hashable, Sendable {
        package var mode: Open<BackgroundMode>
        package var declared: Bool
        /// True if the mode has any effect on this system.
        package var supported: Bool

        package init(mode: BackgroundMode, declared: Bool, supported: Bool) {
            self.mode = .known(mode)
            self.declared = declared
            self.supported = supported
        }
    }

    /// The modes that have an effect on this system.
    private static let supportedModes: Set<BackgroundMode> = [
        .audio, .fetch, .location, .processing, .remoteNotification,
    ]

    /// All known modes.
    package var modes: [Mode]
    /// The path of the manifest that declares them, or `none`.
    package var source: String
    /// The identifiers of background tasks that are permitted.
    package var permitted: [String]

    package init(_ capabilities: Capabilities, source: String) {
        modes = BackgroundMode.allCases.map { mode in
            Mode(
                mode: mode, declared: capabilities.backgroundModes.contains(mode),
                supported: Self.supportedModes.contains(mode))
        }
        self.source = source
        permitted = capabilities.permittedIdentifiers.sorted()
    }
}

/// Lists the background modes.
package struct GetCapabilities: ControlCall {
    package typealias Reply = CapabilityStatus
    package static let method = "capability.status"

    package init() {}
}

/// Adds a background mode to the user's manifest, or removes it.
package struct DeclareMode: ControlCall {
    package typealias Reply = CapabilityStatus
    package static let method = "capability.declare"
    package var mode: BackgroundMode
    /// True to declare the mode, false to withdraw it; nil for the opposite of what it is.
    package var on: Bool?

    package init(_ mode: BackgroundMode, on: Bool) {
        self.mode = mode
        self.on = on
    }

    /// Makes a call that declares the mode if it is not declared, and withdraws it if it is.
    package init(toggling mode: BackgroundMode) { self.mode = mode }
}

/// Adds an identifier of background tasks to those that the user's manifest permits, or removes it.
package struct PermitIdentifier: ControlCall {
    package typealias Reply = CapabilityStatus
    package static let method = "capability.permit"
    package var identifier: String
    /// True to permit the identifier, false to withdraw it.
    package var on: Bool

    package init(_ identifier: String, on: Bool) {
        self.identifier = identifier
        self.on = on
    }
}
