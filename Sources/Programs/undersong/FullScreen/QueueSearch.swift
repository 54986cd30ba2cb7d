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
    /// The last reply; nil if there was nothing to search for.
    private(set) var reply: FoundItems?
    private(set) var cursor = ListCursor()
    /// The words whose reply is awaited.
    private var awaited: [String]?
    /// The words that the last reply was about.
    private var answered: [String] = []

    /// The words to search for.
    private var words: [String] { text.split(separator: " ").map(String.init) }

    /// The items found.
    var found: [ListedItem] { reply?.found ?? [] }

    /// True if `found` is what `text` stands for.
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
