package import UndersongPlayback

/// The reason why the service could not fulfil a request.
package typealias ServiceError = CodedError<ServiceErrorCode>

/// The kinds of failure of a request.
package enum ServiceErrorCode: String, Sendable, CaseIterable {
    /// A value is out of range, or not one of the allowed ones.
    case invalidValue
    /// The requested thing, such as an item, does not exist.
    case notFound
    /// The request is not possible now, or never is.
    case notPossible
}

extension ServiceError {
    /// Creates an error that reads "cannot `operation`: `reason`", with a capital after the colon.
    package init(_ code: Code, _ operation: String, _ reason: String) {
        self.init(
            code, operation: operation,
            reason: reason.prefix(1).uppercased() + reason.dropFirst())
    }

    /// The error for a name that is not one of `known`.
    package static func unknown(_ what: String, _ name: String, _ known: [String]) -> ServiceError {
        ServiceError(
            .invalidValue, "use the \(what) '\(name)'",
            "it is not one of \(known.joined(separator: ", "))")
    }
}
