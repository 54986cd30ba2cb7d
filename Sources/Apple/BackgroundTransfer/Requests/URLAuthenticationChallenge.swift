public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The method of a challenge whose method is not known.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name and the password are sent as they are (RFC 7617).
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name and the password are sent as a digest (RFC 7616).
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"

/// A server's request for a name and a password, which came with its status 401.
public final class URLAuthenticationChallenge: NSObject, Sendable {
    /// The part of the server that is protected.
    public let protectionSpace: URLProtectionSpace
    /// The credential that the session was given for this before, if the server has not refused it.
    public let proposedCredential: URLCredential?
    /// The number of credentials that the server has refused for this task.
    public let previousFailureCount: Int
    /// The last response of the task, if it has had one.
    public let failureResponse: URLResponse?

    init(
        protectionSpace: URLProtectionSpace, proposedCredential: URLCredential?,
        previousFailureCount: Int, failureResponse: URLResponse?
    ) {
        self.protectionSpace = protectionSpace
        self.proposedCredential = proposedCredential
        self.previousFailureCount = previousFailureCount
        self.failureResponse = failureResponse
    }
}

/// The part of a server for which a credential is meant.
public final class URLProtectionSpace: NSObject, Sendable {
    /// The name of the server.
    public let host: String
    /// Its port.
    public let port: Int
    /// `http` or `https`.
    public let `protocol`: String?
    /// The server's name for what is protected.
    public let realm: String?
    /// The way in which a credential is sent: `NSURLAuthenticationMethodHTTPBasic` or
    /// `NSURLAuthenticationMethodHTTPDigest`.
    public let authenticationMethod: String

    /// Creates a protection space.
    public init(
        host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?
    ) {
        self.host = host
        self.port = port
        self.protocol = `protocol`
        self.realm = realm
        self.authenticationMethod = authenticationMethod ?? NSURLAuthenticationMethodDefault
    }

    /// True if nobody on the way can read the password.
    public var receivesCredentialSecurely: Bool {
        `protocol` == "https" || authenticationMethod == NSURLAuthenticationMethodHTTPDigest
    }
}

/// A name with a password.
public final class URLCredential: NSObject, Sendable {
    /// The lifetime of a credential.
    public enum Persistence: UInt, Sendable {
        /// For the one request.
        case none = 0
        /// As long as the session.
        case forSession = 1
        /// As long as the session: nothing is written to the disk.
        case permanent = 2
        /// As long as the session: nothing is written to the disk.
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

    /// True if there is a password.
    public var hasPassword: Bool { password != nil }
}
