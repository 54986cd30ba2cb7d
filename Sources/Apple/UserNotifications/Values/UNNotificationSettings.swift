public import Foundation
import UndersongBackground

/// The permissions that an application asks for. The service has one for all of them.
public struct UNAuthorizationOptions: OptionSet, Hashable, Sendable {
    /// Apple's value.
    public let rawValue: UInt

    /// Creates a set of any value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Sets the badge.
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    /// Makes sounds.
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    /// Shows notifications.
    public static let alert = UNAuthorizationOptions(rawValue: 4)
    /// Has no effect here: there is no CarPlay.
    public static let carPlay = UNAuthorizationOptions(rawValue: 8)
    /// Has no effect here: no sound ignores the volume.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 16)
    /// Has no effect here: the user has no settings in an application.
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 32)
    /// Has no effect here: the user is asked nothing in any case.
    public static let provisional = UNAuthorizationOptions(rawValue: 64)
}

/// The permission to notify the user.
public enum UNAuthorizationStatus: Int, Hashable, Sendable {
    /// The application has not asked yet.
    case notDetermined = 0
    /// The user has forbidden it.
    case denied = 1
    /// Allowed.
    case authorized = 2
    /// Never used here.
    case provisional = 3
    /// Never used here.
    case ephemeral = 4

    init(_ permission: NotificationPermission) {
        switch permission.authorization {
        case .known(.authorized): self = .authorized
        case .known(.denied): self = .denied
        case .known(.notDetermined), .unknown: self = .notDetermined
        }
    }
}

/// A setting of an application's notifications.
public enum UNNotificationSetting: Int, Hashable, Sendable {
    /// Not available.
    case notSupported = 0
    /// Off.
    case disabled = 1
    /// On.
    case enabled = 2
}

/// The way in which notifications are shown.
public enum UNAlertStyle: Int, Hashable, Sendable {
    /// Not at all.
    case none = 0
    /// For a while.
    case banner = 1
    /// Until the user closes them. Never used here.
    case alert = 2
}

/// The settings of an application's notifications.
public final class UNNotificationSettings: NSObject, Sendable {
    /// The permission to notify the user.
    public let authorizationStatus: UNAuthorizationStatus

    init(_ status: UNAuthorizationStatus) { authorizationStatus = status }

    private var setting: UNNotificationSetting {
        authorizationStatus == .authorized ? .enabled : .disabled
    }

    /// Enabled with the permission.
    public var alertSetting: UNNotificationSetting { setting }
    /// Enabled with the permission.
    public var badgeSetting: UNNotificationSetting { setting }
    /// Enabled with the permission.
    public var soundSetting: UNNotificationSetting { setting }
    /// Enabled with the permission.
    public var notificationCenterSetting: UNNotificationSetting { setting }
    /// Enabled with the permission: the desktop decides.
    public var lockScreenSetting: UNNotificationSetting { setting }
    /// Not supported.
    public var carPlaySetting: UNNotificationSetting { .notSupported }
    /// Not supported.
    public var criticalAlertSetting: UNNotificationSetting { .notSupported }
    /// `banner` with the permission.
    public var alertStyle: UNAlertStyle { authorizationStatus == .authorized ? .banner : .none }
}
