extension [Chapter] {
    /// The end of the chapter that contains `time`; nil if it extends to the end of the item. Of
    /// nested chapters it is the innermost, the one that began last. A chapter that overlaps the
    /// next ends where the next begins. A gap between two chapters counts as a chapter.
    package func end(of time: CMTime) -> CMTime? {
        let chapter = filter { $0.start <= time && $0.end ?? .positiveInfinity > time }
            .max {
                ($0.start, $1.end ?? .positiveInfinity) < ($1.start, $0.end ?? .positiveInfinity)
            }
        let next = map(\.start).filter { $0 > time }.min()
        return [chapter?.end, next].compactMap { $0 }.min()
    }

    /// The title of the chapter that began last at `time`, or `Chapter 3` if it has none; nil before
    /// the first one.
    package func title(at time: CMTime) -> String? {
        lastIndex { $0.start <= time }.map { self[$0].title ?? "Chapter \($0 + 1)" }
    }

    /// The destination of the user's "next" from `time`: the start of the next chapter; nil in the
    /// last one.
    package func next(after time: CMTime) -> CMTime? { map(\.start).filter { $0 > time }.min() }

    /// The destination of the user's "previous" from `time`: the start of the chapter or, from its
    /// first two seconds, of the chapter before it; nil before the first one.
    package func previous(before time: CMTime) -> CMTime? {
        let starts = map(\.start).filter { $0 <= time }
        guard let start = starts.max() else { return nil }
        if time.seconds - start.seconds >= 2 { return start }
        return starts.filter { $0 < start }.max()
    }
}
