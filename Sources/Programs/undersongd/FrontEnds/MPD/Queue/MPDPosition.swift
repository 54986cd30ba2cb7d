/// Positions that clients give relative to the current song.
enum MPDPosition {
    /// The position at which to insert into a queue of `count` songs: `3`, `+0` for that after the
    /// current song, `-0` for that before it.
    static func insertion(
        _ text: String, count: Int, current: Int?
    ) throws(MPDError) -> Int {
        switch text.first {
        case "+":
            let current = try required(current)
            return current + 1
                + (try MPDArguments.unsigned(String(text.dropFirst()), most: count - current - 1))
        case "-":
            let current = try required(current)
            return current - (try MPDArguments.unsigned(String(text.dropFirst()), most: current))
        default: return try MPDArguments.unsigned(text, most: count)
        }
    }

    /// The position to which to move a range of the queue, counted without that range. It may not
    /// exist, as the range may not.
    static func destination(
        _ text: String, of range: Range<Int>, count: Int, current: Int?
    ) throws(MPDError) -> Int {
        guard let sign = text.first, ["+", "-"].contains(sign) else {
            return try distance(text, most: count - range.count)
        }
        var current = try required(current)
        guard !range.contains(current) else {
            throw MPDError(.argument, "Cannot move current song relative to itself")
        }
        if current >= range.upperBound { current -= range.count }
        let steps = try distance(String(text.dropFirst()), most: count - current - range.count)
        return sign == "+" ? current + 1 + steps : current - steps
    }

    private static func distance(_ text: String, most: Int) throws(MPDError) -> Int {
        try MPDArguments.unsigned(text, most: most < 0 ? Int(UInt32.max) : most)
    }

    private static func required(_ current: Int?) throws(MPDError) -> Int {
        guard let current else { throw MPDError(.playerSync, "No current song") }
        return current
    }
}
