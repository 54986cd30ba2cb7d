/// Distinguishes other programs' volume changes from echoes of this program's own. The server
/// reports both, late, and may merge several quick changes into one.
struct EchoFilter: Hashable, Sendable {
    /// Bounds the list, since the server may never echo a value.
    private static let mostAwaited = 32

    /// The largest rounding error of the server.
    private let tolerance: Float
    /// The values that were set and not echoed yet, in order.
    private var awaited: [Float] = []
    /// The value that the owner knows; nil if it knows none.
    private var known: Float?
    /// The value that the server reported last.
    private var last: Float?
    /// True if another program has changed the value since the owner last set it.
    private var isForeign = false

    /// Creates a filter for a value that the owner knows, or for an unknown one.
    init(_ value: Float? = nil, tolerance: Float = 0.002) {
        self.tolerance = tolerance
        known = value
        last = value
    }

    /// The owner is about to set `value`.
    mutating func willSet(_ value: Float) {
        if awaited.count == Self.mostAwaited { awaited.removeFirst() }
        awaited.append(value)
        known = value
        isForeign = false
    }

    /// The server has a new stream, whose initial value was not requested.
    mutating func begin(_ value: Float) {
        last = value
        known = known ?? value
    }

    /// The server reports `value`. Returns whether the owner must be notified.
    mutating func isNews(_ value: Float) -> Bool {
        guard !isSame(value, last) else { return false }
        last = value
        let index = awaited.firstIndex { isSame(value, $0) }
        if let index { awaited.removeSubrange(...index) }
        if isSame(value, known) || index != nil && !isForeign { return false }
        known = value
        isForeign = true
        return true
    }

    private func isSame(_ value: Float, _ other: Float?) -> Bool {
        other.map { abs($0 - value) < tolerance } ?? false
    }
}
