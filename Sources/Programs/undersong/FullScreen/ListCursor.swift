/// The cursor in a list that may be longer than the part of it that is shown.
struct ListCursor: Equatable {
    /// The place of the cursor, from 0.
    private(set) var place = 0
    /// The first place that is shown.
    private(set) var top = 0

    /// Moves the cursor to `place`, or as near to it as a list of `count` items permits, and
    /// scrolls no further than is needed to show it in `height` rows.
    mutating func move(to place: Int, count: Int, height: Int) {
        self.place = min(max(place, 0), max(count - 1, 0))
        let height = max(height, 1)
        top = min(max(top, self.place - height + 1), self.place)
        top = min(top, max(count - height, 0))
    }

    /// Scrolls by so many rows; the cursor stays in the part that is shown.
    mutating func scroll(by rows: Int, count: Int, height: Int) {
        let height = max(height, 1)
        top = min(max(top + rows, 0), max(count - height, 0))
        move(to: min(max(place, top), top + height - 1), count: count, height: height)
    }
}

extension ListCursor {
    /// Moves the cursor as a key says, in a list of `count` rows of which `height` are shown.
    /// Returns false for keys that do not move it.
    mutating func move(by key: ScreenKey, count: Int, height: Int) -> Bool {
        let target: Int
        switch key {
        case .move(let rows): target = place + rows
        case .page(let pages): target = place + pages * max(height - 1, 1)
        case .first: target = 0
        case .last: target = count - 1
        default: return false
        }
        move(to: target, count: count, height: height)
        return true
    }
}

/// A line of text that is typed.
struct TextField: Equatable {
    var text = ""

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
}
