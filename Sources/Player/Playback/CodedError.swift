/// What could not be done, and why: the error of a port, whose `Code` lists the kinds of failure.
public struct CodedError<Code>: Error, CodedFailure, Equatable, CustomStringConvertible, Sendable
where Code: RawRepresentable<String> & Hashable & Sendable {
    /// What kind of failure it is, as a program reads it.
    public let code: Code
    /// What was tried: `open /music/a.mp3`.
    public let operation: String
    /// Why it failed: `No such file or directory`.
    public let reason: String

    /// Makes an error that reads "cannot `operation`: `reason`".
    public init(_ code: Code, operation: String, reason: String) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }

    /// One lower-case clause without a period.
    public var description: String { "cannot \(operation): \(reason)" }
}

/// Makes `Code` a member of each error: `MediaError.Code`.
public protocol CodedFailure {
    /// The kinds of failure.
    associatedtype Code
}
