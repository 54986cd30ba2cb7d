import ArgumentParser

/// A place in the queue as `queue list` shows it, from 1: `3`. A sign is not accepted, since it
/// would mean a distance.
struct Place: ExpressibleByArgument, Equatable {
    let number: Int

    init?(argument: String) {
        guard argument.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(argument) else {
            return nil
        }
        self.number = number
    }
}
