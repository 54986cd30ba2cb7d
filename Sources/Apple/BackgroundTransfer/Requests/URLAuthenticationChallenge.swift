public import Foundation

/// What a server asks for before it answers. No transfer in the background asks here: see
/// `URLSessionTaskDelegate`.
public final class URLAuthenticationChallenge: NSObject, Sendable {
    /// How often it was asked for already.
    public let previousFailureCount: Int

    init(previousFailureCount: Int) { self.previousFailureCount = previousFailureCount }
}

/// A name with a password.
public final class URLCredential: NSObject, Sendable {
    /// How long a credential is kept.
    public enum Persistence: UInt, Sendable {
        /// Not at all.
        case none = 0
        /// As long as the session.
        case forSession = 1
        /// For ever.
        case permanent = 2
        /// For ever, on all of the user's machines.
        case synchronizable = 3
    }

    /// The name.
    public let user: String?
    /// The password.
    public let password: String?
    /// How long it is kept.
    public let persistence: Persistence

    /// Creates a credential.
    public init(user: String, password: String, persistence: Persistence) {
        self.user = user
        self.password = password
        self.persistence = persistence
    }
}
