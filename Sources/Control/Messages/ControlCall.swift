/// One request of the wire: its parameters, with the type of the answer to it.
///
/// The wire is JSON-RPC 2.0, one message a line; `Resources/control.md` describes it.
public protocol ControlCall: Codable, Sendable {
    /// What the service answers.
    associatedtype Reply: Codable & Sendable

    /// The name of the method.
    static var method: String { get }
}

/// A message that the service sends by itself.
public protocol ControlNotice: Codable, Sendable {
    /// The name of the method.
    static var method: String { get }
}

/// The answer where there is nothing to say.
public struct Nothing: Codable, Hashable, Sendable {
    /// Says nothing.
    public init() {}
}

/// The version of the wire. A service and a client of different ones do not talk to each other.
public enum ControlProtocol {
    /// Grows when a message changes so that the other side would misread it.
    public static let version = 1

    /// Bytes of a line from a client, at most: the paths of a command line that is as long as
    /// Linux lets it be by default, 2 MiB, fit with room to spare.
    public static let longestLine = 4 * 1024 * 1024
}

/// A moment or a length on an item's timeline, exactly: `value / timescale` seconds.
public struct WireTime: Codable, Hashable, Sendable {
    /// Counts parts of a second.
    public var value: Int64
    /// Parts in one second, above 0.
    public var timescale: Int32

    /// Makes a time.
    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = timescale
    }

    /// Reads a time; without parts to count in it is none.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        value = try members.decode(Int64.self, forKey: .value)
        timescale = try members.decode(Int32.self, forKey: .timescale)
        guard timescale > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .timescale, in: members, debugDescription: "The timescale is not above 0")
        }
    }

    /// The nearest number of seconds.
    public var seconds: Double { Double(value) / Double(timescale) }
}

/// Why a request was not done, as JSON-RPC's error object.
public struct ControlError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as a program reads it: JSON-RPC's own codes, and ours from 1 on.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: Int

        /// Takes any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The message is no JSON.
        public static let parseError = Code(rawValue: -32700)
        /// The message is no request.
        public static let invalidRequest = Code(rawValue: -32600)
        /// There is no such method.
        public static let methodNotFound = Code(rawValue: -32601)
        /// The parameters are not the method's, or out of range.
        public static let invalidParams = Code(rawValue: -32602)
        /// The service could not do it, and the reason is its own.
        public static let internalError = Code(rawValue: -32603)
        /// What was asked for, such as an item, is not there.
        public static let notFound = Code(rawValue: 1)
        /// What was asked for is not possible now, or never.
        public static let notPossible = Code(rawValue: 2)
        /// The other side speaks another version of the wire.
        public static let versionMismatch = Code(rawValue: 3)
        /// No service answers, or it has gone away. Never on the wire.
        public static let unavailable = Code(rawValue: 4)
    }

    /// What went wrong.
    public var code: Code
    /// "cannot remove item 7: The queue has no such item"
    public var message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
