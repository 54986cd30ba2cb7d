package import UndersongBase
package import UndersongPlayback

/// What events report about items.
extension PlayerEvent {
    /// A time in an item.
    package struct Duration: Codable, Hashable, Sendable {
        package var value: Int64
        package var timescale: Int32
        package var seconds: Double
        package var exact: Bool?

        package init(value: Int64, timescale: Int32, seconds: Double, exact: Bool? = nil) {
            self.value = value
            self.timescale = timescale
            self.seconds = seconds
            self.exact = exact
        }
    }

    /// An item of the queue.
    package struct Entry: Codable, Hashable, Sendable {
        package var id: Int
        package var title: String
        package var path: String
        package var pathBytes: Base64?
        package var duration: Duration?

        package init(_ item: QueueItem) {
            id = item.id.number
            title = item.displayTitle
            path = item.source.path.description
            pathBytes = item.source.path.exactBytes
            duration = Duration(item.facts)
        }
    }

    /// The start, end or measurement of an item being heard.
    package struct Item: Codable, Hashable, Sendable {
        package var change: String
        package var title: String
        package var path: String
        package var pathBytes: Base64?
        package var tags: [String: String]?
        package var duration: Duration?
        package var format: Format?
        package var encoderDelay: Int?
        package var encoderPadding: Int?
        package var position: Duration?
    }

    /// The format of an item's audio.
    package struct Format: Codable, Hashable, Sendable {
        package var sampleRate: Int
        package var channels: Int
        package var encoding: String

        package init(sampleRate: Int, channels: Int, encoding: String) {
            self.sampleRate = sampleRate
            self.channels = channels
            self.encoding = encoding
        }
    }
}

extension PlayerEvent.Duration {
    package init(_ time: CMTime, isExact: Bool? = nil) {
        self.init(
            value: time.value, timescale: time.timescale, seconds: time.seconds, exact: isExact)
    }

    /// A file's duration; nil if unknown.
    package init?(_ facts: ItemFacts?) {
        guard let facts, let duration = facts.duration else { return nil }
        self.init(duration, isExact: facts.isDurationExact)
    }
}

extension PlayerEvent.Item {
    private init(_ item: QueueItem, _ change: String) {
        self.change = change
        title = item.displayTitle
        path = item.source.path.description
        pathBytes = item.source.path.exactBytes
    }

    package init(_ item: QueueItem, _ change: String, _ description: MediaDescription?) {
        self.init(item, change)
        guard let description else { return }
        tags = description.tags
        duration = PlayerEvent.Duration(ItemFacts(description))
        format = PlayerEvent.Format(
            sampleRate: description.format.sampleRate,
            channels: description.format.channelCount, encoding: description.encoding)
        encoderDelay = description.encoderDelay
        encoderPadding = description.encoderPadding
    }

    package init(_ item: QueueItem, _ change: String, at time: CMTime) {
        self.init(item, change)
        position = PlayerEvent.Duration(time)
        duration = PlayerEvent.Duration(item.facts)
    }

    package init(_ item: QueueItem, endedAt time: CMTime) {
        self.init(item, "ended", at: time)
        // An item heard to the end of its file has exactly that duration.
        let isWhole = item.end == nil && item.facts?.isDurationExact != true
        if isWhole { duration = PlayerEvent.Duration(time, isExact: true) }
    }
}
