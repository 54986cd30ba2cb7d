import UndersongBase
public import UndersongPlayback

/// An item begins or ceases to be heard, or its exact length is known.
public enum ItemEvent: Equatable, Sendable {
    /// It is heard from its start.
    case began(QueueItem, MediaDescription?)
    /// The exact length of the item being heard is known.
    case measured(QueueItem, MediaDescription)
    /// It was heard to its end, at this time.
    case ended(QueueItem, at: CMTime)
    /// It was left for another before its end; this time of it was the first not heard.
    case left(QueueItem, at: CMTime)

    /// The item. One that was decoded has the title to display, its path and its length only.
    public var item: QueueItem {
        switch self {
        case .began(let item, _), .measured(let item, _), .ended(let item, _), .left(let item, _):
            item
        }
    }
}

extension ItemEvent: Codable {
    private typealias Field = PlayerEvent.Field
    private enum Change: String, Codable { case began, measured, ended, left }

    /// Decodes the members of an event.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Field.self)
        let item = try QueueItem(members, id: .item)
        let change = try members.decode(Change.self, forKey: .change)
        switch change {
        case .began: self = .began(item, try MediaDescription(members, item.facts))
        case .measured:
            self = .measured(
                item, try MediaDescription(members, item.facts) ?? MediaDescription(item.facts))
        case .ended: self = .ended(item, at: try members.decodeTime(forKey: .position))
        case .left: self = .left(item, at: try members.decodeTime(forKey: .position))
        }
    }

    /// Encodes the members of an event.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Field.self)
        try members.encode(item)
        switch self {
        case .began(_, let description):
            try members.encode(Change.began, forKey: .change)
            try description?.encode(to: &members)
        case .measured(_, let description):
            try members.encode(Change.measured, forKey: .change)
            try description.encode(to: &members)
        case .ended(let item, let time):
            try members.encode(Change.ended, forKey: .change)
            try members.encodeTime(time, forKey: .position)
            // An item heard to the end of its file has exactly that duration.
            if item.end == nil, item.facts?.isDurationExact != true {
                try members.encodeTime(time, isExact: true, forKey: .duration)
            } else {
                try members.encode(item.facts)
            }
        case .left(let item, let time):
            try members.encode(Change.left, forKey: .change)
            try members.encodeTime(time, forKey: .position)
            try members.encode(item.facts)
        }
    }
}

/// The items of a queue event.
struct QueueContents: Codable {
    var items: [QueueItem]
    var count: Int

    private typealias Field = PlayerEvent.Field

    init(items: [QueueItem], count: Int) { (self.items, self.count) = (items, count) }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Field.self)
        count = try members.decode(Int.self, forKey: .count)
        items = []
        var list = try members.nestedUnkeyedContainer(forKey: .items)
        while !list.isAtEnd {
            items.append(try QueueItem(list.nestedContainer(keyedBy: Field.self), id: .id))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Field.self)
        try members.encode(count, forKey: .count)
        var list = members.nestedUnkeyedContainer(forKey: .items)
        for item in items {
            var members = list.nestedContainer(keyedBy: Field.self)
            try members.encode(item.id.number, forKey: .id)
            try members.encode(item)
            try members.encode(item.facts)
        }
    }
}

extension KeyedEncodingContainer<PlayerEvent.Field> {
    /// Encodes an item's title and path, and the part of the file that it plays.
    fileprivate mutating func encode(_ item: QueueItem) throws {
        try encode(item.displayTitle, forKey: .title)
        try encode(item.source.path.description, forKey: .path)
        try encodeIfPresent(item.source.path.exactBytes, forKey: .pathBytes)
        if item.start != .zero { try encodeTime(item.start, forKey: .start) }
        if let end = item.end { try encodeTime(end, forKey: .end) }
    }

    /// Encodes a file's duration, if it is known.
    fileprivate mutating func encode(_ facts: ItemFacts?) throws {
        guard let facts, let duration = facts.duration else { return }
        try encodeTime(duration, isExact: facts.isDurationExact, forKey: .duration)
    }
}

extension QueueItem {
    /// Decodes what `encode` has written, with the id under a key.
    fileprivate init(
        _ members: KeyedDecodingContainer<PlayerEvent.Field>, id key: PlayerEvent.Field
    ) throws {
        let id = ItemID(exactly: try members.decode(Int.self, forKey: key))
        let path = FilePath(
            text: try members.decode(String.self, forKey: .path),
            bytes: try members.decodeIfPresent(Base64.self, forKey: .pathBytes))
        self.init(id: id ?? ItemID(0), source: MediaSource(path: path))
        title = try members.decode(String.self, forKey: .title)
        setRange(
            start: members.contains(.start) ? try members.decodeTime(forKey: .start) : .zero,
            end: members.contains(.end) ? try members.decodeTime(forKey: .end) : nil)
        guard members.contains(.duration) else { return }
        let duration = try members.nestedContainer(
            keyedBy: PlayerEvent.Field.self, forKey: .duration)
        facts = ItemFacts(
            duration: try members.decodeTime(forKey: .duration),
            isDurationExact: try duration.decodeIfPresent(Bool.self, forKey: .exact) ?? false)
    }
}

extension MediaDescription {
    fileprivate init(_ facts: ItemFacts?) {
        self.init(
            format: StreamFormat(sampleRate: 0, channelCount: 0), encoding: "",
            duration: facts?.duration ?? .invalid, isDurationExact: facts?.isDurationExact ?? false)
    }

    /// Nil if there is no format.
    fileprivate init?(
        _ members: KeyedDecodingContainer<PlayerEvent.Field>, _ facts: ItemFacts?
    ) throws {
        guard let sound = try members.decodeIfPresent(SoundFormat.self, forKey: .format) else {
            return nil
        }
        self.init(facts)
        format = StreamFormat(sampleRate: sound.sampleRate, channelCount: sound.channels)
        encoding = sound.encoding
        tags = try members.decodeIfPresent([String: String].self, forKey: .tags) ?? [:]
        encoderDelay = try members.decodeIfPresent(Int.self, forKey: .encoderDelay)
        encoderPadding = try members.decodeIfPresent(Int.self, forKey: .encoderPadding)
    }

    fileprivate func encode(to members: inout KeyedEncodingContainer<PlayerEvent.Field>) throws {
        try members.encode(ItemFacts(self))
        try members.encode(tags, forKey: .tags)
        try members.encode(SoundFormat(self), forKey: .format)
        try members.encodeIfPresent(encoderDelay, forKey: .encoderDelay)
        try members.encodeIfPresent(encoderPadding, forKey: .encoderPadding)
    }
}
