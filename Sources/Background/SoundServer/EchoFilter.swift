/// Tells another's change of a volume from the echo of an own one: both come back from the server as
/// news, late, and those of several quick changes perhaps as one.
struct EchoFilter: Hashable, Sendable {
    /// What is never heard of again must not be kept for ever.
    private static let mostAwaited = 32

    /// How far from what was set the server rounds.
    private let tolerance: Float
    /// What was set and has not come back yet, in order.
    private var awaited: [Float] = []
    /// What the value is as far as its owner knows; nil: not at all.
    private var known: Float?
    /// What the server said last.
    private var last: Float?
    /// Whether another has changed it since the owner did last.
    private var isForeign = false

    /// Begins with a value that its owner knows, or with none.
    init(_ value: Float? = nil, tolerance: Float = 0.002) {
        self.tolerance = tolerance
        known = value
        last = value
    }

    /// The owner is about to set it.
    mutating func willSet(_ value: Float) {
        if awaited.count == Self.mostAwaited { awaited.removeFirst() }
        awaited.append(value)
        known = value
        isForeign = false
    }

    /// The server has a new stream, with this value by nobody's wish.
    mutating func begin(_ value: Float) {
        last = value
        known = known ?? value
    }

    /// The server says what it is. Returns whether the owner must be told.
    mutating func isNews(_ value: Float) -> Bool {
        guard !isSame(value, last) else { return false }
        last = value
        let place = awaited.firstIndex { isSame(value, $0) }
        if let place { awaited.removeSubrange(...place) }
        if isSame(value, known) || place != nil && !isForeign { return false }
        known = value
        isForeign = true
        return true
    }

    private func isSame(_ value: Float, _ other: Float?) -> Bool {
        other.map { abs($0 - value) < tolerance } ?? false
    }
}
