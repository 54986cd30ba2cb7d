import UndersongPlayback

/// The part of a queue that was requested from the service. The queue may be much longer.
struct QueueWindow {
    /// A request to the service.
    struct Request: Equatable {
        var offset: Int
        var limit: Int
        /// Distinguishes the reply from those to earlier requests.
        var number: Int
    }

    /// The least number of items before and after the visible ones that are requested with them.
    private static let margin = 50

    /// The last reply, and what this program has changed in it.
    private var list = QueueList(items: [], current: nil)
    /// The places that the last reply was about, even if there are none.
    private var known = 0..<0
    private var isStale = false
    /// The number of changes that this program has sent and that are not made yet.
    private var changes = 0
    private var isLoading = false
    private var number = 0

    /// The number of items in the queue.
    var count: Int { list.count }

    /// The item at a place; nil if it is not known.
    subscript(place: Int) -> ListedItem? {
        let index = place - list.offset
        return list.items.indices.contains(index) ? list.items[index] : nil
    }

    /// The place of an item; nil if it is not known.
    func place(of id: Int) -> Int? {
        list.items.firstIndex { $0.id == id }.map { list.offset + $0 }
    }

    /// Handles a change of the queue elsewhere.
    mutating func change(count: Int) {
        list.count = count
        isStale = true
    }

    /// Handles that more is known of the items.
    mutating func refresh() { isStale = true }

    /// Removes the item at a place, until the service's reply shows what has become of the queue.
    mutating func remove(at place: Int) {
        expectChange()
        guard self[place] != nil else { return }
        list.items.remove(at: place - list.offset)
        list.count -= 1
    }

    /// Exchanges two items, until the service's reply shows what has become of the queue.
    mutating func exchange(_ place: Int, _ other: Int) {
        expectChange()
        guard self[place] != nil, self[other] != nil else { return }
        list.items.swapAt(place - list.offset, other - list.offset)
    }

    /// Handles the sending of a change, after which earlier requests are out of date.
    mutating func expectChange() {
        changes += 1
        number += 1
        isLoading = false
    }

    /// Handles the end of a change.
    mutating func endChange() {
        changes = max(changes - 1, 0)
        isStale = true
    }

    /// The request that is due to show `visible`; nil if there is none.
    mutating func request(toShow visible: Range<Int>) -> Request? {
        let visible = visible.clamped(to: 0..<count)
        let isKnown =
            visible.isEmpty
            || known.lowerBound <= visible.lowerBound && visible.upperBound <= known.upperBound
        guard changes == 0, !isLoading, isStale || !isKnown else { return nil }
        (isStale, isLoading) = (false, true)
        number += 1
        let margin = max(Self.margin, visible.count)
        let first = max(visible.lowerBound - margin, 0)
        let limit = min(visible.upperBound + margin - first, QueueList.limit)
        return Request(offset: first, limit: limit, number: number)
    }

    /// Handles the reply to a request. Returns false if it is out of date.
    mutating func receive(_ list: QueueList, for request: Request) -> Bool {
        guard request.number == number else { return false }
        isLoading = false
        self.list = list
        known = request.offset..<request.offset + request.limit
        return true
    }
}

/// A search in the queue, while its words are typed. Only one request is under way at a time.
struct QueueSearch {
    /// A request to the service.
    struct Request: Equatable {
        var words: [String]
    }

    private(set) var field = TextField()
    /// The last reply; nil if there was nothing to search for.
    private(set) var reply: FoundItems?
    private(set) var cursor = ListCursor()
    /// The words whose reply is awaited.
    private var awaited: [String]?
    /// The words that the last reply was about.
    private(set) var answered: [String] = []

    /// The words to search for.
    private var words: [String] { field.text.split(separator: " ").map(String.init) }

    /// The items found.
    var found: [ListedItem] { reply?.found ?? [] }

    /// True if `found` is what the text stands for.
    var isCurrent: Bool { answered == words }

    /// The item at the cursor.
    var chosen: ListedItem? { found.indices.contains(cursor.place) ? found[cursor.place] : nil }

    /// Handles a key that changes the text. Returns false for other keys.
    mutating func edit(_ stroke: KeyStroke) -> Bool { field.edit(stroke) }

    /// Moves the cursor as a key says, if it does.
    mutating func move(by key: ScreenKey, height: Int) {
        _ = cursor.move(by: key, count: found.count, height: height)
    }

    /// Moves the cursor to an item.
    mutating func select(_ index: Int, height: Int) {
        cursor.move(to: index, count: found.count, height: height)
    }

    /// Scrolls.
    mutating func scroll(by rows: Int, height: Int) {
        cursor.scroll(by: rows, count: found.count, height: height)
    }

    /// The request that is due; nil if there is none.
    mutating func request() -> Request? {
        guard awaited == nil, !isCurrent else { return nil }
        guard !words.isEmpty else {
            receive(nil, for: Request(words: []))
            return nil
        }
        awaited = words
        return Request(words: words)
    }

    /// Handles the reply to a request; nil if there was none to wait for.
    mutating func receive(_ reply: FoundItems?, for request: Request) {
        awaited = nil
        answered = request.words
        self.reply = reply
        cursor = ListCursor()
    }
}

/// The items that the last search has found, through which the keys `n` and `N` go.
struct QueueMatches {
    /// A step to a match.
    enum Step: Equatable {
        /// Nothing was searched for.
        case nothing
        /// The queue has changed since the search, which has to be repeated first.
        case search(QueueSearch.Request)
        /// The step is awaiting a reply.
        case waiting
        case found(ListedItem, note: String)
        case none
    }

    private var words: [String] = []
    private var reply: FoundItems?
    private var isStale = false
    /// The direction of the step that waits for a reply; nil if none does.
    private var awaited: Int?

    /// Handles the end of a search.
    mutating func begin(_ search: QueueSearch) {
        words = search.answered
        reply = search.reply
        (isStale, awaited) = (false, nil)
    }

    /// Handles a change of the queue.
    mutating func expire() { isStale = true }

    /// Finds the match after a place, or before it for -1; after the last one comes the first.
    mutating func step(by direction: Int, from place: Int) -> Step {
        guard !words.isEmpty else { return .nothing }
        guard awaited == nil else { return .waiting }
        guard let reply, !isStale else {
            awaited = direction
            return .search(QueueSearch.Request(words: words))
        }
        let found = reply.found.enumerated().filter { $0.element.index != nil }
        let next =
            direction > 0
            ? found.first { ($0.element.index ?? 0) > place } ?? found.first
            : found.last { ($0.element.index ?? 0) < place } ?? found.last
        guard let next else { return .none }
        return .found(next.element, note: "match \(next.offset + 1) of \(reply.foundCount)")
    }

    /// Handles the reply to a request. Returns the direction of the step that waited for it.
    mutating func receive(_ reply: FoundItems, for request: QueueSearch.Request) -> Int? {
        guard request.words == words, let direction = awaited else { return nil }
        (self.reply, isStale, awaited) = (reply, false, nil)
        return direction
    }
}
