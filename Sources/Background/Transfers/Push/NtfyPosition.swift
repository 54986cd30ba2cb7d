/// The position of a listener in a topic of ntfy: the time from which on it continues, and signs that
/// the server still has what came after that. All times are the server's, in seconds since 1970.
package struct NtfyPosition: Codable, Hashable, Sendable {
    /// The seconds for which a server keeps messages if it does not say how long.
    static let usualCacheTime = 12 * 3600
    /// The seconds after which `contact` is written again.
    static let contactInterval = 3600
    /// The most seconds by which a message comes later than its time says: a server looks every ten
    /// seconds for those that were published with a delay.
    static let overlap = 15
    /// The first time that can be asked for: in the query of a stream, a server takes 1 for
    /// nothing.
    private static let firstTime = 2

    /// The identifier of the newest message that was delivered; nil if there was none.
    package var last: String?
    /// The time at which that was sent; without a message, that of the first connection.
    package var time: Int?
    /// The time until which the server keeps the last message; nil if it keeps none, or does not say.
    package var expires: Int?
    /// The time at which the server was last heard, at most an hour earlier than it was.
    package var contact: Int?
    /// The time before which all messages were delivered; nil as long as `time` shows that.
    package var complete: Int?

    package init(
        last: String? = nil, time: Int? = nil, expires: Int? = nil, contact: Int? = nil,
        complete: Int? = nil
    ) {
        self.last = last
        self.time = time
        self.expires = expires
        self.contact = contact
        self.complete = complete
    }

    /// The time from which on to ask for messages, so that some come again; nil for those that come
    /// from now on.
    ///
    /// A server can also be asked for what comes after a message. It counts in the order in which
    /// messages were published then: one that was published before with a delay would be missed, and
    /// after a message that it does not know it sends everything. From a time on it does neither,
    /// and sends the last message once more, which shows that it still has it.
    package var since: Int? {
        (complete ?? time.map { $0 - Self.overlap }).map { max($0, Self.firstTime) }
    }

    /// True if the server may have forgotten messages of the time from `start` to `end`.
    func hasGap(from start: Int?, to end: Int) -> Bool {
        let cacheTime = time.flatMap { time in expires.map { $0 - time } } ?? Self.usualCacheTime
        return start.map { end - $0 > cacheTime } ?? false
    }

    /// True if the server's clock must have been set back when it shows this time.
    func isAhead(of now: Int) -> Bool { since.map { $0 > now } ?? false }

    /// Passes a message that was delivered.
    mutating func pass(_ identifier: String, time: Int, expires: Int?) {
        complete = since ?? time - Self.overlap
        guard time >= self.time ?? .min else { return }
        (last, self.time, self.expires) = (identifier, time, expires)
    }

    /// Notes that all messages before a time were delivered.
    mutating func complete(to time: Int) { complete = complete.map { max($0, time) } }
}
