/// A background mode by its key in `UIBackgroundModes` (B2).
public enum BackgroundMode: String, Hashable, Sendable, CaseIterable {
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
