/// The wish that a file joins the queue of the session's player once it is complete.
package struct QueueWish: Hashable, Codable, Sendable {
    /// Where in the queue.
    package enum Place: String, Codable, Sendable, CaseIterable {
        /// At the end.
        case end
        /// After the current item.
        case next
    }

    package var place: Place
    /// Identifies the edit of the queue, which is made once however often it is asked for.
    package var key: String

    package init(_ place: Place, key: String) {
        self.place = place
        self.key = key
    }
}

/// What became of a wish.
package enum QueueAnswer: Hashable, Codable, Sendable {
    /// The file is in the queue, or was, and that is durable.
    case joined
    /// The player does not take the file.
    case refused(String)
    /// Nobody has answered, or the player cannot make it durable now.
    case unavailable(String)
}
