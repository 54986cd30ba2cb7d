/// Why the service could not fulfil a request.
package struct ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A machine-readable reason.
    package enum Code: Hashable, Sendable, CaseIterable {
        /// A value is out of range, or not one of the allowed ones.
        case invalidValue
        /// What was requested, such as an item, does not exist.
        case notFound
        /// What was requested is not possible now, or never is.
        case notPossible
    }

    /// What kind of failure it is.
    package let code: Code
    /// What was tried: `remove item 7`.
    package let operation: String
    /// Why it failed: `the queue has no such item`.
    package let reason: String

    /// Creates an error that reads "cannot `operation`: `reason`".
    package init(_ code: Code, _ operation: String, _ reason: String) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }

    /// "cannot remove item 7: The queue has no such item"
    package var description: String {
        "cannot \(operation): \(reason.prefix(1).uppercased() + reason.dropFirst())"
    }

    /// The error for a name that is not one of `known`.
    package static func unknown(_ what: String, _ name: String, _ known: [String]) -> ServiceError {
        ServiceError(
            .invalidValue, "use the \(what) '\(name)'",
            "it is not one of \(known.joined(separator: ", "))")
    }
}
