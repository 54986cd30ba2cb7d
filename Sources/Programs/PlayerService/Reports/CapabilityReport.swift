package import UndersongBackground

/// Which background modes are declared, and where.
package struct CapabilityReport: Sendable {
    /// The modes that have an effect on this system.
    package static let supportedModes: Set<BackgroundMode> = [
        .audio, .fetch, .location, .processing, .remoteNotification,
    ]

    /// The capabilities declared in the manifest.
    package var capabilities: Capabilities
    /// Its path, or `none`.
    package var source: String
}
