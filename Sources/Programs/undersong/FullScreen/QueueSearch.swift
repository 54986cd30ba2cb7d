import UndersongControl
import UndersongPlayback

/// A search in the queue, while its words are typed. Only one request is under way at a time.
struct QueueSearch {
    /// What to request.
    struct Request: Equatable {
        var words: [String]
    }

    /// What was typed.
    private(set) var text = ""
    /// What the last reply has found.
    private(set) var found: [ListedItem] = []
    /// The number of items that match, which may be more.
    private(set) var count = 0
    /// Whether more items may match soon, because not all titles have been read.
    private(set) var hasUnreadTags = false
    private(set) var cursor = ListCursor()
    /// The words whose reply is awaited.
    private var awaited: [String]?
    /// The words that the last reply was about.
    private var answered: [String] = []

    /// The words to search for.
    private var words: [String] { text.split(separator: " ").map(String.init) }

    /// Whether `found` is what `text` stands for.
    var isCurrent: Bool { answered == words }

    /// The item at the cursor.
    var chosen: ListedItem? {
        found.indices.contains(cursor.place) ? found[cursor.place] : nil
    }

    /// Handles a key that changes the text. Returns false for other keys.
    mutating func edit(_ stroke: KeyStroke) -> Bool {
        switch stroke {
        case .character(let character): text.append(character)
        case .backspace: _ = text.popLast()
        case .control("u"): text = ""
        case .control("w"):
            while text.last == " " { text.removeLast() }
            while text.last.map({ $0 != " " }) == true { text.removeLast() }
        default: return false
        }
        return true
    }

    /// Moves the cursor.
    mutating func move(by distance: Int, height: Int) {
        cursor.move(to: cursor.place + distance, count: found.count, height: height)
    }

    /// The request that is due; nil if there is none.
    mutating func request() -> Request? {
        guard awaited == nil, !isCurrent else { return nil }
        guard !words.isEmpty else {
            take(nil, for: Request(words: []))
            return nil
        }
        awaited = words
        return Request(words: words)
    }

    /// Handles the reply to a request; nil if there was none to wait for.
    mutating func take(_ reply: FoundItems?, for request: Request) {
        awaited = nil
        answered = request.words
        found = reply?.found ?? []
        count = reply?.foundCount ?? found.count
        hasUnreadTags = reply?.hasUnreadTags ?? false
        cursor = ListCursor()
    }
}
