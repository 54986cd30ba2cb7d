import ArgumentParser

/// A place in the queue: `3`, as `queue list` shows it, from 1; `+1` or `-1`, which count from the
/// current item; `current`, `next`, `previous`, `first`, or `last`.
enum Place: ExpressibleByArgument, Equatable {
    case number(Int)
    /// This many places after the current item, or before it.
    case distance(Int)
    case last

    private static let words: [String: Place] = [
        "current": .distance(0), "next": .distance(1), "previous": .distance(-1),
        "first": .number(1), "last": .last,
    ]

    /// What a place can be, for help texts.
    static let help = "such as 3, +1, -1, current, next, previous, first, last"

    init?(argument: String) {
        if let word = Self.words[argument] {
            self = word
            return
        }
        let sign = argument.first
        let isDistance = sign == "+" || sign == "-"
        let digits = isDistance ? argument.dropFirst() : argument[...]
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits) else {
            return nil
        }
        self = isDistance ? .distance(sign == "-" ? -number : number) : .number(number)
    }
}

/// Places in the queue: one, or all from one to another, such as `3-5` or `current-last`.
struct PlaceRange: ExpressibleByArgument, Equatable {
    let first: Place
    let last: Place

    init(_ first: Place, _ last: Place) {
        self.first = first
        self.last = last
    }

    init?(argument: String) {
        if let place = Place(argument: argument) {
            self.init(place, place)
        } else {
            // A minus sign at the start belongs to a distance.
            let dashes = argument.indices.dropFirst().filter { argument[$0] == "-" }
            let ends = dashes.lazy.compactMap { dash -> PlaceRange? in
                let last = argument[argument.index(after: dash)...]
                guard let first = Place(argument: String(argument[..<dash])),
                    let last = Place(argument: String(last))
                else { return nil }
                return PlaceRange(first, last)
            }.first
            guard let ends else { return nil }
            self = ends
        }
        guard case .number(let first) = first else { return }
        if first < 1 { return nil }
        if case .number(let last) = last, last < first { return nil }
    }
}
