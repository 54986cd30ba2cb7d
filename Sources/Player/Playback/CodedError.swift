/// A failed operation and its reason: the error of a port, whose `Code` lists the kinds of failure.
public struct CodedError<Code>: Error, CodedFailure, Equatable, CustomStringConvertible, Sendable
where Code: RawRepresentable<String> & Hashable & Sendable {
    /// The kind of failure, for programs.
    public let code: Code
    /// The operation that failed: `open /music/a.mp3`.
    public let operation: String
    /// The reason why it failed: `No such file or directory`.
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
