/// Why a fix is not believed.
package enum FixFault: String, Hashable, Sendable, CaseIterable {
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

    /// The reason, as a clause.
    package var reason: String {
        switch self {
        case .notANumber: "its coordinates are not numbers"
        case .latitude: "its latitude is beyond the poles"
        case .longitude: "its longitude is beyond ±180°"
        case .noPlace: "it has no place"
        case .repeated: "it repeats an old fix"
        case .timeBackward: "its time runs backward"
        case .stale: "it is too old"
        case .jump: "it is too far from the one before"
        }
    }
}
