public import UndersongCoreMedia

/// An exact position or length on an item's timeline in messages and events: `value / timescale`
/// seconds.
public struct WireTime: Codable, Hashable, Sendable {
    /// The number of units.
    public var value: Int64
    /// Units per second, above 0.
    public var timescale: Int32

    /// Creates a time.
    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = timescale
    }

    /// Creates a time from one that is rational; 0 from any other.
    public init(_ time: CMTime) {
        self.init(value: time.isRational ? time.value : 0, timescale: max(1, time.timescale))
    }

    /// Decodes a time; fails unless the timescale is above 0.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        value = try members.decode(Int64.self, forKey: .value)
        timescale = try members.decode(Int32.self, forKey: .timescale)
        guard timescale > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .timescale, in: members, debugDescription: "The timescale is not above 0")
        }
    }

    private enum CodingKeys: String, CodingKey { case value, timescale, seconds }

    /// Encodes the time, and what it is in seconds for those who need it no more exactly.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(value, forKey: .value)
        try members.encode(timescale, forKey: .timescale)
        if timescale > 0 { try members.encode(seconds, forKey: .seconds) }
    }

    /// The time in seconds, as the nearest `Double`.
    public var seconds: Double { Double(value) / Double(timescale) }
}

extension CMTime {
    /// Creates the time that a message gives.
    package init(_ time: WireTime) { self.init(value: time.value, timescale: time.timescale) }
}
