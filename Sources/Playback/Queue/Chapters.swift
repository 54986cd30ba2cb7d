/// A part of an item that has a beginning and an end of its own, on the item's timeline.
package struct ChapterTimes: Equatable, Sendable {
    package var start: CMTime
    package var end: CMTime

    package init(start: CMTime, end: CMTime) {
        self.start = start
        self.end = end
    }
}

extension [ChapterTimes] {
    /// Where the chapter ends in which `time` lies. Of chapters within one another that is the
    /// innermost, the one that began last; a chapter that goes on into the next ends where that
    /// begins. Nil where `time` lies in none, or where there are none.
    package func end(of time: CMTime) -> CMTime? {
        let begun = filter { $0.start <= time && time < $0.end }
        guard let chapter = begun.max(by: { ($0.start, $1.end) < ($1.start, $0.end) }) else {
            return nil
        }
        let next = map(\.start).filter { $0 > chapter.start && $0 > time }.min()
        return Swift.min(chapter.end, next ?? chapter.end)
    }
}
