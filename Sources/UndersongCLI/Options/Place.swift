import ArgumentParser

/// A place in the queue as `queue list` shows it, from 1 on: `3`. A sign would make it a distance,
/// which it is not.
struct Place: ExpressibleByArgument, Equatable {
    let number: Int

    init?(argument: String) {
        guard argument.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(argument) else {
            return nil
        }
        self.number = number
    }
}
