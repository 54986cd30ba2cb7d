import ArgumentParser

/// Places in the queue as `queue list` shows them, from 1: `3`, or `3-5`.
struct PlaceRange: ExpressibleByArgument, Equatable {
    let places: ClosedRange<Int>

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map {
            Place(argument: String($0))?.number
        }
        guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
            first >= 1, last >= first
        else { return nil }
        places = first...last
    }
}
