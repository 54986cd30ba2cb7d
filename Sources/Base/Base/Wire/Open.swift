/// A word of a fixed list that a newer program may extend: one of the known cases, or the word as it
/// came.
public enum Open<Known: RawRepresentable<String> & Hashable & Sendable>: Codable, Hashable, Sendable
{
    case known(Known)
    case unknown(String)

    /// The known case; nil if the word is not known.
    public var known: Known? {
        if case .known(let known) = self { known } else { nil }
    }

    /// The word.
    public var word: String {
        switch self {
        case .known(let known): known.rawValue
        case .unknown(let word): word
        }
    }

    /// Creates the case of a word.
    public init(word: String) { self = Known(rawValue: word).map(Open.known) ?? .unknown(word) }

    /// Decodes a word.
    public init(from decoder: any Decoder) throws {
        self.init(word: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the word.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(word)
    }
}

extension Open: CodingKeyRepresentable {
    /// The word as the name of a member.
    public var codingKey: any CodingKey { Key(stringValue: word) }

    /// Creates the case of the name of a member.
    public init?(codingKey: some CodingKey) { self.init(word: codingKey.stringValue) }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
