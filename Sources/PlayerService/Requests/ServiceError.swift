/// Why the service did not do what it was asked for.
package struct ServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason as a program reads it.
    package enum Code: Hashable, Sendable, CaseIterable {
        /// A value is out of its range, or none of those that there are.
        case invalidValue
        /// What was asked for, such as an item, is not there.
        case notFound
        /// It is not possible now, or never.
        case notPossible
    }

    /// What kind of failure it is.
    package let code: Code
    /// What was tried: `remove item 7`.
    package let operation: String
    /// Why it failed: `the queue has no such item`.
    package let reason: String

    /// Makes an error that reads "cannot `operation`: `reason`".
    package init(_ code: Code, _ operation: String, _ reason: String) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }

    /// "cannot remove item 7: The queue has no such item"
    package var description: String {
        "cannot \(operation): \(reason.prefix(1).uppercased() + reason.dropFirst())"
    }

    /// A name that is none of `known`.
    package static func unknown(_ what: String, _ name: String, _ known: [String]) -> ServiceError {
        ServiceError(
            .invalidValue, "use the \(what) '\(name)'",
            "it is none of \(known.joined(separator: ", "))")
    }
}
