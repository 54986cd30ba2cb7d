/// Decides what the host may know of the machine's location, and which questions are asked of the
/// user.
package struct LocationAuthorization: Hashable, Sendable {
    /// The user's decision.
    package enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        case notDetermined
        /// Not possible, and the user cannot change that.
        case restricted
        case never
        /// In the foreground, and in the background where it was begun in the foreground.
        case whenInUse
        /// In the background, too.
        case always

        /// True if places may be used at all.
        package var isAuthorized: Bool { self == .always || self == .whenInUse }
    }

    /// The permissions that can be asked for.
    package enum Scope: String, Hashable, Sendable {
        case whenInUse, always
    }

    /// A question to the user.
    package struct Prompt: Hashable, Sendable {
        package var scope: Scope
        /// True if the user has allowed the use in the foreground before.
        package var isUpgrade: Bool
        /// The host's reason for using the location (D10).
        package var text: String

        package init(scope: Scope, isUpgrade: Bool, text: String) {
            self.scope = scope
            self.isUpgrade = isUpgrade
            self.text = text
        }
    }

    /// The user's decision.
    package private(set) var status: Status
    /// The host's declarations.
    package var usage: LocationUsage
    /// True if the user was asked for more than the use in the foreground.
    private(set) var hasAskedForUpgrade: Bool
    /// True if the host has asked for `always` before the user had decided.
    private var wantsUpgrade = false

    package init(
        _ status: Status = .notDetermined, usage: LocationUsage = LocationUsage(),
        hasAskedForUpgrade: Bool = false
    ) {
        self.status = status
        self.usage = usage
        self.hasAskedForUpgrade = hasAskedForUpgrade
    }

    /// Returns the prompt to show after the host has asked for `scope`; nil if the user has
    /// decided, the host is not in use, or it declares no usage (D9).
    mutating func request(_ scope: Scope, isForeground: Bool) -> Prompt? {
        guard isForeground, let text = usage.text(for: scope) else { return nil }
        switch status {
        case .notDetermined:
            wantsUpgrade = scope == .always
            return Prompt(scope: scope, isUpgrade: false, text: text)
        case .whenInUse where scope == .always: return upgrade()
        default: return nil
        }
    }

    /// Returns the prompt to show when a host that was allowed the use in the foreground, but has
    /// asked for more, uses locations in the background (D11); nil for none.
    mutating func useInBackground() -> Prompt? {
        wantsUpgrade && status == .whenInUse ? upgrade() : nil
    }

    private mutating func upgrade() -> Prompt? {
        guard !hasAskedForUpgrade, let text = usage.text(for: .always) else { return nil }
        hasAskedForUpgrade = true
        return Prompt(scope: .always, isUpgrade: true, text: text)
    }

    /// The user has decided, or changed the decision. `notDetermined` forgets it: everything may be
    /// asked once more.
    mutating func decide(_ status: Status) {
        self.status = status
        if status == .notDetermined { hasAskedForUpgrade = false }
        if status != .whenInUse { wantsUpgrade = false }
    }
}

/// The host's reasons for using the location, by the three keys of `Info.plist` (D9).
package struct LocationUsage: Hashable, Sendable {
    /// `NSLocationWhenInUseUsageDescription`.
    package var whenInUse: String?
    /// `NSLocationAlwaysAndWhenInUseUsageDescription`.
    package var alwaysAndWhenInUse: String?
    /// `NSLocationAlwaysUsageDescription`, of iOS 8 to 10.
    package var always: String?

    package init(
        whenInUse: String? = nil, alwaysAndWhenInUse: String? = nil, always: String? = nil
    ) {
        self.whenInUse = whenInUse
        self.alwaysAndWhenInUse = alwaysAndWhenInUse
        self.always = always
    }

    /// The text of the question for `scope`; nil if it may not be asked.
    package func text(for scope: LocationAuthorization.Scope) -> String? {
        switch scope {
        case .whenInUse: whenInUse
        case .always: whenInUse != nil ? alwaysAndWhenInUse ?? always : always
        }
    }

    /// True if anything may be asked: without it, places are not used at all.
    package var isDeclared: Bool { whenInUse != nil || always != nil }
}
