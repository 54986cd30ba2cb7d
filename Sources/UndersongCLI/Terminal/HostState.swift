/// Where the host is, in Apple's words, as the wire writes them.
enum HostState: String, CaseIterable, Sendable {
    /// In the foreground.
    case active
    /// In the foreground, without the user.
    case inactive
    /// Not in the foreground.
    case background
}
