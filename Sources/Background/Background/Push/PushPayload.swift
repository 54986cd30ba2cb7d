import UndersongBase
package import UndersongPlayback

/// The content of a push: a JSON object with `aps` (H1, H2). Its bytes are passed on as they came,
/// and it is kept as their text.
package struct PushPayload: Codable, Hashable, Sendable {
    /// The most bytes of a payload, as Apple has it.
    package static let sizeLimit = 4096

    /// The reason a payload is refused.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The kind of fault.
        package enum Code: Hashable, Sendable {
            /// There are no bytes.
            case empty
            /// There are too many bytes.
            case tooLarge
            /// It is not what a payload has to be.
            case malformed
        }

        /// The kind of fault.
        package let code: Code
        /// "the payload has no aps object"
        package let description: String
    }

    /// The bytes, which are UTF-8.
    package let bytes: [UInt8]
    /// True if `content-available` is the number 1.
    package let isContentAvailable: Bool
    /// True if it has an alert, a badge or a sound.
    package let isAlert: Bool
    /// The value of `Simulator Target Bundle`: the topic of a push from a file.
    package let target: String?
    /// The action for the service itself.
    package let action: PushAction?

    /// Checks the bytes.
    ///
    /// - Throws: An error if they are too many, or no object with an object `aps`, or ask the
    ///   service for something that it does not do.
    package init(_ bytes: [UInt8]) throws(Problem) {
        guard !bytes.isEmpty else {
            throw Problem(code: .empty, description: "the payload is empty")
        }
        guard bytes.count <= Self.sizeLimit else {
            throw Problem(
                code: .tooLarge,
                description:
                    "the payload has \(bytes.count) bytes, and \(Self.sizeLimit) are allowed")
        }
        let (text, members) = try Self.object(bytes)
        guard let range = members["aps"], let aps = try Self.members(text, at: range) else {
            throw Problem(code: .malformed, description: "the payload has no aps object")
        }
        self.bytes = bytes
        isContentAvailable = aps["content-available"].flatMap { text.number(at: $0) } == 1
        isAlert = ["alert", "badge", "sound"].contains { aps[$0] != nil }
        target = members["Simulator Target Bundle"].flatMap { text.string(at: $0) }
        action = try Self.action(text, members)
    }

    /// Decodes a text, which has to be a payload.
    package init(from decoder: any Decoder) throws {
        try self.init(Array(try decoder.singleValueContainer().decode(String.self).utf8))
    }

    /// Encodes the text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The bytes as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns true if a push of this type wakes the host, according to the table of Apple's forum, thread
    /// 745345. Without a type it is an alert if it has something to show.
    package func wakes(as type: PushType?) -> Bool {
        isContentAvailable && (type != .alert || isAlert)
    }

    private typealias Members = [String: Range<Int>]

    private static func object(_ bytes: [UInt8]) throws(Problem) -> (JSONText, Members) {
        let text: JSONText
        do throws(JSONText.Problem) {
            text = try JSONText(bytes)
        } catch {
            throw Problem(
                code: .malformed,
                description: "the payload is not JSON: at byte \(error.offset), \(error.reason)")
        }
        guard let members = try members(text, at: text.value) else {
            throw Problem(code: .malformed, description: "the payload is not a JSON object")
        }
        return (text, members)
    }

    /// The members of an object by their keys; nil if the value is not an object.
    ///
    /// - Throws: An error if a key comes twice, so that it is not clear which value counts.
    private static func members(
        _ text: JSONText, at range: Range<Int>
    ) throws(Problem) -> Members? {
        guard let list = text.members(at: range) else { return nil }
        var members: Members = [:]
        for member in list where members.updateValue(member.value, forKey: member.key) != nil {
            throw Problem(
                code: .malformed, description: "the payload has the key '\(member.key)' twice")
        }
        return members
    }

    // MARK: Actions

    private static func action(
        _ text: JSONText, _ members: Members
    ) throws(Problem) -> PushAction? {
        guard let range = members["undersong"] else {
            let feed = members["feed"].flatMap { text.string(at: $0) }
            let isURL = ["http://", "https://"].contains {
                feed?.lowercased().hasPrefix($0) == true
            }
            return isURL ? feed.map { .refresh(feed: $0) } : nil
        }
        let order = try Self.members(text, at: range) ?? [:]
        let command = order["command"].flatMap { text.string(at: $0) }
        switch command {
        case "refresh": return .refreshAll
        case "play":
            guard let name = order["name"].flatMap({ text.string(at: $0) }) else {
                throw Problem(
                    code: .malformed, description: "the payload does not name the queue to play")
            }
            return .play(name: name)
        default:
            let known = PlayerCommand.unattended.first { $0.rawValue == command }
            if let known { return .player(known) }
            let word = command.map { "'\($0)'" } ?? "nothing"
            throw Problem(
                code: .malformed,
                description:
                    "the payload's command is \(word), and not pause, resume, play or refresh")
        }
    }
}

/// The type of a push, with the values of the header `apns-push-type`.
package enum PushType: String, Codable, Hashable, Sendable, CaseIterable {
    /// For the program only.
    case background
    /// Something for the user to see or hear.
    case alert
}

/// An action that a push asks of the service itself: one of a few verbs, never a command line.
package enum PushAction: Hashable, Sendable {
    /// Perform one of `PlayerCommand.unattended`.
    case player(PlayerCommand)
    /// Play the queue that is saved by this name.
    case play(name: String)
    /// Read all feeds.
    case refreshAll
    /// Read the feed with this URL.
    case refresh(feed: String)

    /// True if a program that has registered for pushes gets it instead of the service.
    var isForPrograms: Bool { if case .refresh = self { true } else { false } }
}
