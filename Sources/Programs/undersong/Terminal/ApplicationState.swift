/// The host's state, with Apple's names as on the wire.
enum ApplicationState: String, CaseIterable, Sendable {
    /// In the foreground.
    case active
    /// In the foreground, without input.
    case inactive
    /// In the background.
    case background
}
