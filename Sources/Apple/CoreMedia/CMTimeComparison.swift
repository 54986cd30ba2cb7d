extension CMTime: Comparable, Hashable {
    /// Returns true if both are the same number of seconds in the same epoch, or the same kind of
    /// time that is not numeric.
    public static func == (left: CMTime, right: CMTime) -> Bool { left.compare(right) == 0 }

    /// Core Media's order: negative infinity, numbers by epoch and then by value, indefinite,
    /// positive infinity, invalid.
    public static func < (left: CMTime, right: CMTime) -> Bool { left.compare(right) < 0 }

    /// Equal times have equal hashes, whatever their timescales.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isRational else { return }
        let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale))
        hasher.combine(epoch)
        hasher.combine(value < 0)
        hasher.combine(value.magnitude / divisor)
        hasher.combine(UInt64(timescale) / divisor)
    }

    /// -1 if this comes before `other`, 1 if it comes after, 0 if they are equal. Does not
    /// allocate.
    func compare(_ other: CMTime) -> Int32 {
        guard isRational && other.isRational else { return sign(rank, other.rank) }
        guard epoch == other.epoch else { return sign(epoch, other.epoch) }
        guard timescale != other.timescale else { return sign(value, other.value) }
        return sign(
            Int128(value) * Int128(other.timescale), Int128(other.value) * Int128(timescale))
    }

    /// The rank of the time's kind in the order.
    private var rank: Int {
        if isRational { return 1 }
        if isNegativeInfinity { return 0 }
        if isPositiveInfinity { return 3 }
        return isIndefinite ? 2 : 4
    }
}

private func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int32 {
    left < right ? -1 : left == right ? 0 : 1
}
