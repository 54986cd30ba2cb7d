import UndersongPlayback

/// The sounds that a player node has to play, and their places on the node's own timeline, which
/// counts the seconds since the node first played. A value: host times in nanoseconds and what is
/// heard come from outside.
///
/// The player's queue gets some seconds of it at a time, so that a great many short buffers do not
/// need as many open files, and endless ones end when they have to.
struct NodeSchedule {
    /// The lead of the player over what is heard, in seconds and in items.
    private static let secondsAhead = 2.0
    private static let itemsAhead = 2...64
    /// The longest piece of silence, in seconds.
    private static let longestSilence = 3600.0
    /// The seconds before its audible end at which something counts as consumed.
    static let consumption = 0.1

    /// Something that was scheduled.
    struct Entry {
        let number: Int
        let sound: NodeSound
        var isLooping = false
        /// Its start; nil for the end of what is before it.
        var start: Start?
        var callback: NodeCallback?
    }

    /// The start of an entry.
    enum Start {
        /// At this time of the node's timeline, in seconds.
        case time(Double)
        /// At this host time.
        case host(Int64)
    }

    /// An item of the player's queue.
    private struct Item {
        let id: ItemID
        /// The entry of which it is all; nil for silence before one.
        let entry: Int?
        let sound: NodeSound
        /// True if it could not be played.
        var hasFailed = false
    }

    /// The entries that are not over yet, in order.
    private var entries: [Entry] = []
    /// The number of `entries` that the player has been given; an endless one is never counted.
    private var given = 0
    /// The player's items that are not over yet, in order.
    private var items: [Item] = []
    /// The time at which the first item begins or, without items, up to which the timeline has come.
    private var origin = 0.0
    /// The time since which the timeline is running without items; nil if it is not.
    private var idleSince: Int64?
    /// The seconds of the timeline per second; 0 while it is stopped.
    private(set) var tempo = 0.0
    private var lastID = 0
    private var lastEntry = 0

    /// The sound of the node that is heard at a host time.
    struct Heard {
        let item: ItemID
        let seconds: Double
    }

    // MARK: Time

    /// The time of the timeline at a host time.
    func time(at hostTime: Int64, _ heard: Heard?) -> Double {
        guard !items.isEmpty else {
            let idle = idleSince.map { Double(max(0, hostTime - $0)) / 1e9 * tempo }
            return origin + (idle ?? 0)
        }
        guard let heard, let index = items.firstIndex(where: { $0.id == heard.item }) else {
            return origin
        }
        let before = items[..<index].reduce(0) { $0 + $1.sound.seconds }
        let sound = items[index].sound
        return origin + before + min(max(0, heard.seconds - sound.start), sound.seconds)
    }

    /// Lets the timeline run at this tempo from now on, or stop for 0.
    mutating func run(at tempo: Double, from hostTime: Int64) {
        guard tempo != self.tempo else { return }
        if items.isEmpty {
            origin = time(at: hostTime, nil)
            idleSince = tempo > 0 ? hostTime : nil
        }
        self.tempo = tempo
    }

    // MARK: Scheduling

    /// Adds something to play.
    mutating func add(
        _ sound: NodeSound, at start: Start?, isLooping: Bool, _ callback: NodeCallback?
    ) {
        lastEntry += 1
        entries.append(
            Entry(
                number: lastEntry, sound: sound, isLooping: isLooping, start: start,
                callback: callback))
    }

    /// Removes everything: what comes next begins now. Returns the items to remove from the
    /// player's queue, and the callbacks.
    mutating func interrupt(
        at hostTime: Int64, _ heard: Heard?
    ) -> (items: [ItemID], callbacks: [NodeCallback]) {
        origin = time(at: hostTime, heard)
        idleSince = tempo > 0 ? hostTime : nil
        let removed = (items.map(\.id), entries.compactMap(\.callback))
        (items, entries, given) = ([], [], 0)
        return removed
    }

    /// Removes everything, and returns the timeline to its start.
    mutating func reset() -> [NodeCallback] {
        let callbacks = interrupt(at: 0, nil).callbacks
        (origin, idleSince, tempo) = (0, nil, 0)
        return callbacks
    }

    /// Lets what is being repeated end with the repetition that is heard, and removes what would
    /// have come after it. Returns the items to remove from the player's queue, and the callbacks.
    mutating func interruptAtLoop() -> (items: [ItemID], callbacks: [NodeCallback]) {
        guard let loop = entries.indices.first(where: { entries[$0].isLooping }) else {
            return ([], [])
        }
        let number = entries[loop].number
        let repetitions = items.indices.filter { items[$0].entry == number }.dropFirst()
        let removed = repetitions.map { items[$0].id }
        if let first = repetitions.first { items.removeSubrange(first...) }
        let callbacks = entries[(loop + 1)...].compactMap(\.callback)
        entries.removeSubrange((loop + 1)...)
        entries[loop].isLooping = false
        if items.contains(where: { $0.entry == number }) { given = entries.count }
        return (removed, callbacks)
    }

    /// The items that the player is to be given now, in order, each with what it plays.
    mutating func next(
        at hostTime: Int64, _ heard: Heard?
    ) -> [(id: ItemID, sound: NodeSound)] {
        var next: [(id: ItemID, sound: NodeSound)] = []
        while wantsMore, given < entries.count {
            let entry = entries[given]
            guard let gap = gap(before: entry, at: hostTime, heard) else { break }
            if gap > 0 {
                if gap <= Self.longestSilence { entries[given].start = nil }
                let silence = entry.sound.silence(seconds: min(gap, Self.longestSilence))
                guard !silence.isEmpty else { continue }
                next.append((give(silence, of: nil, at: hostTime), silence))
            } else {
                entries[given].start = nil
                next.append((give(entry.sound, of: entry.number, at: hostTime), entry.sound))
                if !entry.isLooping { given += 1 }
            }
        }
        return next
    }

    private var wantsMore: Bool {
        if items.count < Self.itemsAhead.lowerBound { return true }
        let ahead = items.dropFirst().reduce(0) { $0 + $1.sound.seconds }
        return ahead < Self.secondsAhead && items.count < Self.itemsAhead.upperBound
    }

    private mutating func give(_ sound: NodeSound, of entry: Int?, at hostTime: Int64) -> ItemID {
        if items.isEmpty {
            origin = time(at: hostTime, nil)
            idleSince = nil
        }
        lastID += 1
        items.append(Item(id: ItemID(lastID), entry: entry, sound: sound))
        return ItemID(lastID)
    }

    /// The seconds of silence before `entry`; nil if that is not known yet.
    private func gap(before entry: Entry, at hostTime: Int64, _ heard: Heard?) -> Double? {
        guard let start = entry.start else { return 0 }
        let end =
            items.isEmpty
            ? time(at: hostTime, nil) : items.reduce(origin) { $0 + $1.sound.seconds }
        switch start {
        case .time(let time): return time - end
        case .host(let host):
            guard tempo > 0 else { return nil }
            return time(at: hostTime, heard) + Double(host - hostTime) / 1e9 * tempo - end
        }
    }

    // MARK: What is heard

    /// An item begins to be heard, so that those before it are over. Returns the callbacks of what
    /// is over.
    mutating func began(_ id: ItemID) -> [NodeCallback] {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return [] }
        return drop(index)
    }

    /// An item was heard to its end, at a host time.
    mutating func ended(_ id: ItemID, at hostTime: Int64) -> [NodeCallback] {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return [] }
        let callbacks = drop(index + 1)
        if items.isEmpty, tempo > 0 { idleSince = hostTime }
        return callbacks
    }

    /// An item cannot be played, or not to its end.
    mutating func failed(_ id: ItemID) {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        items[index].hasFailed = true
    }

    /// The player has nothing left to play, as of a host time.
    mutating func ranDry(at hostTime: Int64) -> [NodeCallback] {
        guard let last = items.last, last.hasFailed else { return [] }
        return ended(last.id, at: hostTime)
    }

    private mutating func drop(_ count: Int) -> [NodeCallback] {
        origin += items[..<count].reduce(0) { $0 + $1.sound.seconds }
        items.removeFirst(count)
        let playing = items.lazy.compactMap(\.entry).first ?? .max
        let over = entries[..<given].prefix { $0.number < playing }
        let callbacks = over.compactMap(\.callback)
        given -= over.count
        entries.removeFirst(over.count)
        return callbacks
    }

    // MARK: Consumption

    /// Takes the callbacks that want to be called as soon as their entry is consumed, if it is by
    /// now; and the host time of the next such moment, nil for none.
    mutating func consumed(
        at hostTime: Int64, _ heard: Heard?
    ) -> (callbacks: [NodeCallback], next: Int64?) {
        guard tempo > 0 else { return ([], nil) }
        var callbacks: [NodeCallback] = []
        var end = origin
        let now = time(at: hostTime, heard)
        for item in items {
            end += item.sound.seconds
            guard let number = item.entry,
                let index = entries[..<given].firstIndex(where: { $0.number == number }),
                let callback = entries[index].callback, callback.type == .dataConsumed
            else { continue }
            let wait = (end - now) / tempo - Self.consumption
            if wait > 0 { return (callbacks, hostTime + Int64((wait * 1e9).rounded(.up))) }
            callbacks.append(callback)
            entries[index].callback = nil
        }
        return (callbacks, nil)
    }
}
