/// A new fix, or the reason for its absence.
public enum LocationEvent: Codable, Hashable, Sendable {
    case fix(LocationFix)
    /// There is no fix, for a reason given as a clause.
    case problem(String)

    private enum CodingKeys: String, CodingKey { case problem }

    /// Decodes a fix's members, or `problem`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            try container.decodeIfPresent(String.self, forKey: .problem).map { .problem($0) }
            ?? .fix(LocationFix(from: decoder))
    }

    /// Encodes a fix's members, or `problem`.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .fix(let fix): try fix.encode(to: encoder)
        case .problem(let problem):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(problem, forKey: .problem)
        }
    }
}
