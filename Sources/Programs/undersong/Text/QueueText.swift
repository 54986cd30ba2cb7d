import UndersongCommandOptions
import UndersongPlayback

/// Formats the queue: `> 2  4:05  Second Song`.
enum QueueText {
    /// The number of items that are shown before and after an edited place.
    static let nearby = 5

    /// One line per item, with the place that the verbs take; the items before and after are only
    /// counted.
    static func list(_ queue: QueueList) -> String {
        guard queue.count > 0 else { return "the queue is empty" }
        let after = queue.count - queue.offset - queue.items.count
        let before = queue.offset > 0 ? ["  … \(queue.offset) before"] : []
        let more = after > 0 ? ["  … \(after) more"] : []
        return (before + lines(queue) + more).joined(separator: "\n")
    }

    /// One line per item of a part of the queue.
    static func lines(_ queue: QueueList) -> [String] {
        let lengths = Columns.rightAligned(queue.items.map(length))
        let hasLengths = lengths.first?.isEmpty == false
        let placeWidth = String(queue.count).count
        let hasFinished = queue.items.contains { $0.finished == true }
        return queue.items.enumerated().map { index, item in
            let mark = item.id == queue.current ? ">" : " "
            let place = Columns.trailing(String(queue.offset + index + 1), to: placeWidth)
            let length = hasLengths ? lengths[index] + "  " : ""
            let finished = hasFinished ? (item.finished == true ? " ✓" : "  ") : ""
            let gone = item.missing == true ? "  (\(absence(item)))" : ""
            return "\(mark) \(place)\(finished)  \(length)\(item.name)\(gone)"
        }
    }

    /// The reason why an item cannot be played now.
    static func absence(_ item: ListedItem) -> String {
        if case .remote = NameKind(item.source.path.bytes.span) { return "not a file" }
        return "file not found"
    }

    /// The number of items, in words.
    static func count(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    /// The length to be played, if it is known: `4:05`, or `35:00 / 1:01:01` for a long item that
    /// was left at that position.
    static func length(_ item: ListedItem) -> String {
        let length = item.length.map { ClockText.text($0) }
        guard let resume = item.resume else { return length ?? "" }
        return ClockText.text(resume) + (length.map { " / \($0)" } ?? "")
    }

    /// One line per item found.
    static func found(_ reply: FoundItems) -> String {
        guard !reply.found.isEmpty else { return "no matches" }
        let width = String(reply.count).count
        return reply.found.map { item in
            let mark = item.id == reply.current ? ">" : " "
            let place = Columns.trailing(item.number.map(String.init) ?? "", to: width)
            return "\(mark) \(place)  \(item.name)"
        }.joined(separator: "\n")
    }
}

/// The playing time of a queue.
struct QueueLength {
    private var count = 0
    private var seconds = 0.0
    private var unknown = 0

    mutating func add(_ items: [ListedItem]) {
        count += items.count
        for item in items {
            if let length = item.length { seconds += length } else { unknown += 1 }
        }
    }

    /// `12 items, 48:05`, with how many of the lengths are missing; nil if none is known.
    var text: String? {
        guard unknown < count else { return nil }
        let missing = unknown > 0 ? ", and \(unknown) of unknown length" : ""
        return "\(QueueText.count(count)), \(ClockText.text(seconds))\(missing)"
    }
}

/// The playing time of the queue, as the service says, on the full screen.
struct QueueTimes {
    private var time: QueueTime?
    private var isStale = false
    private var isAwaited = false

    /// Handles a change of the queue, of the current item, or of what is known of the items.
    mutating func expire() { isStale = true }

    /// True if the time has to be asked for. Only one request is under way at a time.
    mutating func request() -> Bool {
        guard isStale, !isAwaited else { return false }
        (isStale, isAwaited) = (false, true)
        return true
    }

    /// Handles the reply to a request; nil if there was none.
    mutating func receive(_ time: QueueTime?) {
        self.time = time
        isAwaited = false
    }

    /// `48:05 in all, 31:10 left`, shorter texts, and the empty one. `rest` is what is left of the
    /// current item, if that is known. A sign marks a time to which unknown lengths have to be
    /// added.
    func texts(rest: Double?) -> [String] {
        guard let time, time.seconds > 0 else { return [""] }
        let all = ClockText.text(time.seconds) + (time.unknownCount > 0 ? "+" : "")
        let isLess = time.unknownCountAfter > 0 || rest == nil && time.hasCurrent
        let left = ClockText.text(time.secondsAfter + (rest ?? 0)) + (isLess ? "+" : "")
        guard time.hasCurrent else { return ["\(all) in all", ""] }
        return ["\(all) in all, \(left) left", "\(left) left", ""]
    }
}

extension ListedItem {
    /// `Artist - Title` if the artist is known, otherwise the title, for display.
    var name: String { Columns.printable(ItemName.text(title, artist: artist)) }
}

/// The name by which people know a song.
enum ItemName {
    /// `Artist - Title`, or the title if no artist is known, or if it names the artist itself, as
    /// those of playlists and CUE sheets do.
    static func text(_ title: String, artist: String?) -> String {
        guard let artist, !artist.isEmpty, !title.hasPrefix("\(artist) - ") else { return title }
        return "\(artist) - \(title)"
    }
}

extension QueueList {
    /// The part of the list that is near a place, from 1; near the current item for nil, or near
    /// the end if there is none. An empty list stays as it is.
    func near(_ place: Int?) -> QueueList {
        let current = items.firstIndex { $0.id == self.current } ?? items.count - 1
        let center = min(max(place.map { $0 - 1 - offset } ?? current, 0), items.count - 1)
        let range = (center - QueueText.nearby..<center + QueueText.nearby + 1)
            .clamped(to: 0..<items.count)
        return QueueList(
            items: Array(items[range]), current: self.current, offset: offset + range.lowerBound,
            count: count)
    }
}
