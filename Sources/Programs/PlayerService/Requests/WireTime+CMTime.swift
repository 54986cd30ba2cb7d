package import UndersongPlayback

extension WireTime {
    /// The time as used by the player. Throws if it is negative, or not positive where that is
    /// required.
    package func checked(isPositive: Bool) throws(ServiceError) -> CMTime {
        guard timescale > 0, value >= (isPositive ? 1 : 0) else {
            throw ServiceError(
                .invalidValue, "use a time", "it is negative, or 0 where it must be positive")
        }
        return CMTime(value: value, timescale: timescale)
    }
}
