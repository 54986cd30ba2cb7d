/// A stream, as the program that fetches it reports it to its player.
package struct StreamReport: Codable, Hashable, Sendable {
    /// The program's state.
    package enum State: String, Codable, Sendable {
        /// All that is wanted is there.
        case idle
        case connecting
        case receiving
        /// It tries again after `retry` seconds, because of `reason`.
        case waiting
        /// Nothing more comes, because of `reason`.
        case failed
    }

    /// A text that a station sent within its sound.
    package struct Title: Codable, Hashable, Sendable {
        /// The first byte of the sound that it belongs to.
        package var offset: Int64
        /// The text, usually `Artist - Title`.
        package var text: String

        package init(offset: Int64, text: String) {
            self.offset = offset
            self.text = text
        }
    }

    package var state = State.idle
    /// The bytes that are in the file.
    package var available = ByteRanges()
    /// The length of the whole file; nil if unknown, and for a live stream.
    package var total: Int64?
    /// The version of the file, if the server names it.
    package var version: Validator?
    /// True for a stream without an end, which begins at the moment of connecting.
    package var isLive = false
    /// True if the server gives parts of the file; nil if unknown.
    package var hasRanges: Bool?
    /// The media type, in lower case, once the server has answered.
    package var type: String?
    /// A station's name, and its bit rate in bits per second.
    package var name: String?
    package var bitrate: Int?
    /// The station's last title.
    package var title: Title?
    /// The reason it has failed, or what the last attempt met, for machines.
    package var code: Open<StreamFailure.Code>?
    /// The reason it has failed or waits.
    package var reason: String?
    /// Seconds until the next attempt.
    package var retry: Double?

    package init() {}
}

/// A sign that two responses hold the same bytes. As JSON it is an object with a `tag` or a
/// `modified`.
package enum Validator: Hashable, Codable, Sendable {
    /// A strong entity tag, with its quotes.
    case entityTag(String)
    /// A date of the last change, in the server's own words, that is old enough to be strong.
    case lastModified(String)

    private enum CodingKeys: String, CodingKey {
        case tag, modified
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        if let tag = try members.decodeIfPresent(String.self, forKey: .tag) {
            self = .entityTag(tag)
        } else {
            self = .lastModified(try members.decode(String.self, forKey: .modified))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .entityTag(let tag): try members.encode(tag, forKey: .tag)
        case .lastModified(let date): try members.encode(date, forKey: .modified)
        }
    }

    /// The value of `If-Range`.
    package var ifRange: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }
}
