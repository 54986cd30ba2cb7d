// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import UndersongControl

/// The domain of `UNError`.
public let UNErrorDomain = "UNErrorDomain"

/// The reason why the user is not notified, with Apple's numbers; `localizedDescription` says it in words.
public struct UNError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The values are Apple's.
    public enum Code: Int, Hashable, Sendable {
        /// Not allowed by the user, or not possible: the description says why.
        case notificationsNotAllowed = 1
        /// The trigger has no date that is still to come.
        case notificationInvalidNoDate = 1400
        /// The content has nothing to show, or something that cannot be kept.
        case notificationInvalidNoContent = 1401
        /// The number of a badge is negative.
        case badgeInputInvalid = 1600

        /// Returns true if `error` has this code, for `catch UNError.notificationsNotAllowed`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? UNError)?.code == code
        }
    }

    /// The code.
    public let code: Code
    /// The reason, as a clause.
    private let reason: String
    /// True if the service is only away.
    let isPassing: Bool

    /// Creates an error without a reason.
    public init(_ code: Code) { self.init(code, reason: "UNError \(code.rawValue)") }

    init(_ code: Code, reason: String, isPassing: Bool = false) {
        self.code = code
        self.reason = reason
        self.isPassing = isPassing
    }

    init(_ error: ControlError) {
        self.init(
            .notificationsNotAllowed, reason: error.message,
            isPassing: error.code == .unavailable)
    }

    /// `UNErrorDomain`.
    public static var errorDomain: String { UNErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The reason.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: reason] }
    /// The reason.
    public var errorDescription: String? { reason }

    /// The code of errors by which notifications are not allowed, or not possible.
    public static var notificationsNotAllowed: Code { .notificationsNotAllowed }
    /// The code of errors by which a trigger has no date.
    public static var notificationInvalidNoDate: Code { .notificationInvalidNoDate }
    /// The code of errors by which a content cannot be shown.
    public static var notificationInvalidNoContent: Code { .notificationInvalidNoContent }
    /// The code of errors by which the number of a badge is negative.
    public static var badgeInputInvalid: Code { .badgeInputInvalid }
}
