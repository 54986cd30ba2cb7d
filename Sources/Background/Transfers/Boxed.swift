/// A value in memory of its own: it takes the room of a pointer where it is missing. In a record it is
/// written as the value itself.
indirect enum Boxed<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
    case value(Value)

    init(from decoder: any Decoder) throws { self = .value(try Value(from: decoder)) }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .value(let value): try value.encode(to: encoder)
        }
    }
}
