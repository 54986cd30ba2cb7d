extension CMTime {
    /// Creates the time nearest to `seconds` in units of `1 / preferredTimescale`, in epoch 0. Ties
    /// round away from zero.
    ///
    /// The timescale is halved until the value fits; if even whole seconds do not fit, the time is
    /// infinite. The time is marked as rounded if it does not convert back to `seconds`. NaN, or a
    /// timescale below 1, gives an invalid time.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard preferredTimescale > 0, !seconds.isNaN else {
            self = .invalid
            return
        }
        guard seconds.isFinite, let fraction = ExactFraction(seconds) else {
            self = .infinity(isNegative: seconds < 0)
            return
        }
        self.init(fraction, timescale: preferredTimescale)
        guard isNumeric else { return }
        // The rule compares with the value converted back, where a Double may hide rounding. A
        // subnormal number never converts back, but equals 0 if a C library has disabled such
        // numbers.
        let isSame = self.seconds == seconds && !seconds.isSubnormal
        flags = isSame ? .valid : [.valid, .hasBeenRounded]
    }

    /// The time in seconds as the nearest `Double`; infinite if the time is, and NaN if it is
    /// invalid or indefinite. The epoch is ignored.
    public var seconds: Double {
        if isRational { return Double(value) / Double(timescale) }
        if isNegativeInfinity { return -.infinity }
        return isPositiveInfinity ? .infinity : .nan
    }

    /// The time in units of `1 / newTimescale`, rounded by `method`; a time that is not numeric is
    /// returned as is.
    ///
    /// A value that does not fit becomes infinite; a timescale below 1 gives an invalid time.
    public func convertScale(_ newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
        guard isNumeric else { return self }
        guard timescale > 0, newTimescale > 0 else { return .invalid }
        let rule = method.rule(from: timescale, to: newTimescale)
        let fraction = ExactFraction(Int128(value), over: Int128(timescale))
        guard let (rounded, isExact) = fraction.rounded(times: newTimescale, rule) else {
            return .infinity(isNegative: value < 0)
        }
        let isLost = method == .quickTime && value < 0 && rounded == 0
        return CMTime(
            value: isLost ? -1 : rounded, timescale: newTimescale,
            flags: isExact && !hasBeenRounded ? .valid : [.valid, .hasBeenRounded], epoch: epoch)
    }

    /// Creates the time nearest to `fraction` seconds. Ties round away from zero.
    ///
    /// The timescale is halved until the value fits; if even whole seconds do not fit, the time is
    /// infinite.
    init(
        _ fraction: ExactFraction, timescale preferred: CMTimeScale, isRounded: Bool = false,
        epoch: CMTimeEpoch = 0
    ) {
        var timescale = preferred
        while timescale > 0 {
            if let (value, isExact) = fraction.rounded(times: timescale) {
                let flags: CMTimeFlags =
                    isExact && !isRounded ? .valid : [.valid, .hasBeenRounded]
                self.init(value: value, timescale: timescale, flags: flags, epoch: epoch)
                return
            }
            timescale /= 2
        }
        self = .infinity(isNegative: fraction.isNegative)
    }

    static func infinity(isNegative: Bool) -> CMTime {
        isNegative ? .negativeInfinity : .positiveInfinity
    }
}

extension CMTimeRoundingMethod {
    fileprivate func rule(
        from old: CMTimeScale, to new: CMTimeScale
    ) -> FloatingPointRoundingRule {
        switch self {
        case .roundHalfAwayFromZero: .toNearestOrAwayFromZero
        case .roundTowardZero: .towardZero
        case .roundAwayFromZero: .awayFromZero
        case .quickTime: new < old ? .towardZero : .awayFromZero
        case .roundTowardPositiveInfinity: .up
        case .roundTowardNegativeInfinity: .down
        }
    }
}
