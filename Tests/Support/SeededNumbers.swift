/// Numbers that a seed determines (xorshift).
package struct SeededNumbers: Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    /// The next number, from 0 to below `limit`.
    package mutating func below(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % limit
    }
}
