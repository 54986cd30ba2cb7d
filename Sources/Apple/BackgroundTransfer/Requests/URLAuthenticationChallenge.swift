public import Foundation

/// A server's request for credentials. No transfer in the background asks here: see
/// `URLSessionTaskDelegate`.
public final class URLAuthenticationChallenge: NSObject, Sendable {
    /// The number of earlier requests for them.
    public let previousFailureCount: Int

    init(previousFailureCount: Int) { self.previousFailureCount = previousFailureCount }
}

/// A name with a password.
public final class URLCredential: NSObject, Sendable {
    /// The lifetime of a credential.
    public enum Persistence: UInt, Sendable {
        /// Not at all.
        case none = 0
        /// Kept for the session.
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
    /// The lifetime of the credential.
    public let persistence: Persistence

    /// Creates a credential.
    public init(user: String, password: String, persistence: Persistence) {
        self.user = user
        self.password = password
        self.persistence = persistence
    }
}
