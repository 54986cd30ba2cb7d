// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import UndersongLocation

/// The domain of `CLError`.
public let kCLErrorDomain = "kCLErrorDomain"

/// The reason why there is no place, with Apple's numbers; `localizedDescription` says it in words.
public struct CLError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The values are Apple's.
    public enum Code: Int, Hashable, Sendable {
        /// The place is not known at present; the manager continues to try.
        case locationUnknown = 0
        /// The user, or the system, does not allow the use of places.
        case denied = 1
        /// There is no network. Not used here.
        case network = 2
        /// There is no heading. Not used here.
        case headingFailure = 3
        /// The user does not allow regions to be watched.
        case regionMonitoringDenied = 4
        /// A region cannot be watched: it is nowhere, too large, or one too many.
        case regionMonitoringFailure = 5
        /// A region is not watched yet. Not used here.
        case regionMonitoringSetupDelayed = 6
        /// Events of a region are late. Not used here.
        case regionMonitoringResponseDelayed = 7
        /// The user was not asked. Not used here.
        case promptDeclined = 18

        /// Returns true if `error` has this code, for `catch CLError.denied`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? CLError)?.code == code
        }
    }

    /// The code.
    public let code: Code
    /// The reason, as a clause.
    private let reason: String

    /// Creates an error without a reason.
    public init(_ code: Code) { self.init(code, reason: "CLError \(code.rawValue)") }

    private init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    init(_ failure: LocationFailure) {
        let code: Code =
            switch failure {
            case .locationUnknown: .locationUnknown
            case .denied: .denied
            case .regionsDenied: .regionMonitoringDenied
            case .region: .regionMonitoringFailure
            }
        self.init(code, reason: failure.reason)
    }

    /// `kCLErrorDomain`.
    public static var errorDomain: String { kCLErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The reason.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: reason] }
    /// The reason.
    public var errorDescription: String? { reason }

    /// The code of errors while the place is not known.
    public static var locationUnknown: Code { .locationUnknown }
    /// The code of errors by which places may not be used.
    public static var denied: Code { .denied }
    /// The code of errors that are not used here.
    public static var network: Code { .network }
    /// The code of errors by which regions may not be watched.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
    /// The code of errors by which a region cannot be watched.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
}
