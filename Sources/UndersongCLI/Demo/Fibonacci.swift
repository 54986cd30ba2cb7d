import BigInt

/// The work of `undersong demo fibonacci`: number after number, each the sum of the two before it,
/// and from the start again once they get too large (contract E15, E17).
struct Fibonacci: Equatable {
    /// No number reaches this one: 10 to the 40th.
    private static let limit = BigInt(10).power(40)

    private var previous = BigInt(1)
    private var current = BigInt(1)
    private var position = 1

    /// Goes on to the next number.
    mutating func tick() {
        let next = previous + current
        guard next < Self.limit else {
            self = Fibonacci()
            return
        }
        (previous, current) = (current, next)
        position += 1
    }

    /// `Position 4 = 5`
    var message: String { "Position \(position) = \(current)" }
}
