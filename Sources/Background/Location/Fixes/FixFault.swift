/// The reason a fix is not believed.
package enum FixFault: String, Codable, Hashable, Sendable, CaseIterable {
    /// Its place, accuracy or time is not a number.
    case notANumber
    /// Its latitude is beyond the poles.
    case latitude
    /// Its longitude is beyond ±180°.
    case longitude
    /// Its accuracy is negative: there is no place.
    case noPlace
    /// Its time is that of the fix before: an old fix is repeated.
    case repeated
    /// Its time is before that of the fix before.
    case timeBackward
    /// It is older than `FixValidation.maximumAge`, or later than `FixValidation.patience`.
    case stale
    /// It is too far from the fix before, and the next one does not confirm it.
    case jump

    /// The reason, as what is said of a fix: it is `too old`.
    package var description: String {
        switch self {
        case .notANumber, .latitude, .longitude: "nowhere on Earth"
        case .noPlace: "without a place"
        case .repeated: "repeated"
        case .timeBackward: "out of order"
        case .stale: "too old"
        case .jump: "too far away"
        }
    }
}
