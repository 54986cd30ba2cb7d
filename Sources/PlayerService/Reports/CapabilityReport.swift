package import Background

/// Which background modes are declared, and where.
package struct CapabilityReport: Sendable {
    /// The modes that have an effect here.
    package static let supportedModes: Set<BackgroundMode> = [.audio]

    /// What the manifest declares.
    package var capabilities: Capabilities
    /// Its path, or `none`.
    package var source: String
}
