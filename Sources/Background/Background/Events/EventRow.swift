import UndersongBase

/// A kind of event with its name, and how its members are read and written.
struct EventRow: Sendable {
    let name: String
    let decode: @Sendable (any Decoder) throws -> PlayerEvent.Kind
    /// The members; nil if the event is of another kind.
    let members: @Sendable (PlayerEvent.Kind) -> (any Encodable)?

    /// A kind whose members are a value's.
    init<Value: Codable & SendableMetatype>(
        _ name: String, _ make: @escaping @Sendable (Value) -> PlayerEvent.Kind,
        _ value: @escaping @Sendable (PlayerEvent.Kind) -> Value?
    ) {
        self.name = name
        decode = { make(try Value(from: $0)) }
        members = { value($0) }
    }

    /// A kind with one member.
    init<Value: Codable & Sendable & SendableMetatype>(
        _ name: String, _ member: EventMember.Name,
        _ make: @escaping @Sendable (Value) -> PlayerEvent.Kind,
        _ value: @escaping @Sendable (PlayerEvent.Kind) -> Value?
    ) {
        self.name = name
        decode = { decoder in
            make(
                try decoder.container(keyedBy: EventMember.Name.self)
                    .decode(Value.self, forKey: member))
        }
        members = { value($0).map { EventMember(name: member, value: $0) } }
    }

    /// A kind without members of its own.
    init(_ name: String, _ kind: PlayerEvent.Kind) {
        self.name = name
        decode = { _ in kind }
        members = { $0 == kind ? Nothing() : nil }
    }
}

/// One member of an object.
struct EventMember: Encodable {
    struct Name: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringLiteral: String) { stringValue = stringLiteral }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let name: Name
    let value: any Encodable

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        try members.encode(value, forKey: name)
    }
}
