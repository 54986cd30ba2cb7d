/// The cursor in a list that may be longer than the part of it that is shown.
struct ListCursor: Equatable {
    /// The place of the cursor, from 0.
    private(set) var place = 0
    /// The first place that is shown.
    private(set) var top = 0

    /// Moves the cursor to `place`, or as near to it as a list of `count` items permits, and scrolls
    /// no further than is needed to show it in `height` rows.
    mutating func move(to place: Int, count: Int, height: Int) {
        self.place = min(max(place, 0), max(count - 1, 0))
        let height = max(height, 1)
        top = min(max(top, self.place - height + 1), self.place)
        top = min(top, max(count - height, 0))
    }
}
