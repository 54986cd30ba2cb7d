import ArgumentParser
import Control

/// A target in the queue: `3` is a place; `+1` and `-1` count from the current item.
enum JumpTarget: ExpressibleByArgument, Equatable {
    case to(Int)
    case by(Int)

    init?(argument: String) {
        let sign = argument.first
        let isDistance = sign == "+" || sign == "-"
        guard let place = Place(argument: isDistance ? String(argument.dropFirst()) : argument)
        else { return nil }
        switch sign {
        case "+": self = .by(place.number)
        case "-": self = .by(-place.number)
        default: self = .to(place.number)
        }
    }

    /// The place, from 1; it may be beyond the queue's end. `status` is called if the target counts
    /// from the current item; nil if there is none.
    func place(_ status: () throws -> Status) rethrows -> Int? {
        switch self {
        case .to(let place): return place
        case .by(let distance):
            let status = try status()
            guard status.item != nil else { return nil }
            let (place, isTooFar) = (status.place + 1).addingReportingOverflow(distance)
            return isTooFar ? .max : place
        }
    }
}
