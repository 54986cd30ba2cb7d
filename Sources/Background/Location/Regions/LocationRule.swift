package import UndersongPlayback

/// An action for the moment when the machine enters or leaves a place.
package struct LocationRule: Codable, Hashable, Sendable {
    /// A crossing of a place's edge.
    package enum Event: String, Codable, Hashable, Sendable, CaseIterable { case enter, exit }

    /// A verb of the service: a rule runs no programs.
    package enum Command: Hashable, Sendable {
        /// One of `PlayerCommand.unattended`.
        case player(PlayerCommand)
        /// Play the queue that was saved by this name.
        case load(String)
        /// Set the volume, 0 to 100.
        case volume(Double)

        /// The word on the wire.
        package var word: String {
            switch self {
            case .player(let command): command.rawValue
            case .load: "load"
            case .volume: "volume"
            }
        }
    }

    private enum CodingKeys: String, CodingKey { case event, place, command, value }

    package var event: Event
    /// The name of the place.
    package var place: String
    package var command: Command

    package init(_ event: Event, _ place: String, _ command: Command) {
        self.event = event
        self.place = place
        self.command = command
    }

    /// Decodes a rule, whose command is a word, and its argument the member `value`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        event = try container.decode(Event.self, forKey: .event)
        place = try container.decode(String.self, forKey: .place)
        let word = try container.decode(String.self, forKey: .command)
        switch word {
        case "load": command = .load(try container.decode(String.self, forKey: .value))
        case "volume": command = .volume(try container.decode(Double.self, forKey: .value))
        default:
            guard let known = PlayerCommand.unattended.first(where: { $0.rawValue == word }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .command, in: container,
                    debugDescription: "'\(word)' is not a command of rules")
            }
            command = .player(known)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(event, forKey: .event)
        try container.encode(place, forKey: .place)
        try container.encode(command.word, forKey: .command)
        switch command {
        case .player: break
        case .load(let name): try container.encode(name, forKey: .value)
        case .volume(let volume): try container.encode(volume, forKey: .value)
        }
    }

    /// Returns true if another rule has the same verb for the same event, so that it takes its
    /// place.
    package func isReplaced(by other: LocationRule) -> Bool {
        (event, place, command.word) == (other.event, other.place, other.command.word)
    }
}
