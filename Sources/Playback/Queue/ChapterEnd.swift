extension [Chapter] {
    /// Where the chapter ends in which `time` lies; nil where it goes on to the item's end. Of
    /// chapters within one another it is the innermost, the one that began last; one that goes on
    /// into the next ends where that begins. What lies between two chapters counts as one.
    package func end(of time: CMTime) -> CMTime? {
        let chapter = filter { $0.start <= time && $0.end ?? .positiveInfinity > time }
            .max {
                ($0.start, $1.end ?? .positiveInfinity) < ($1.start, $0.end ?? .positiveInfinity)
            }
        let next = map(\.start).filter { $0 > time }.min()
        return [chapter?.end, next].compactMap { $0 }.min()
    }
}
