/// Decides what the host may know of where the machine is, and what is asked of the user.
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

        /// Whether places may be used at all.
        package var isAuthorized: Bool { self == .always || self == .whenInUse }
    }

    /// What can be asked for.
    package enum Scope: String, Hashable, Sendable {
        case whenInUse, always
    }

    /// A question to the user.
    package struct Prompt: Hashable, Sendable {
        package var scope: Scope
        /// Whether the user has allowed the use in the foreground before.
        package var isUpgrade: Bool
        /// What the host says it needs the places for (D10).
        package var text: String

        package init(scope: Scope, isUpgrade: Bool, text: String) {
            self.scope = scope
            self.isUpgrade = isUpgrade
            self.text = text
        }
    }

    /// The user's decision.
    package private(set) var status: Status
    /// What the host declares.
    package var usage: LocationUsage
    /// Whether the user was asked for more than the use in the foreground.
    private(set) var hasAskedForUpgrade: Bool
    /// Whether the host has asked for `always` before the user had decided.
    private var wantsUpgrade = false

    package init(
        _ status: Status = .notDetermined, usage: LocationUsage = LocationUsage(),
        hasAskedForUpgrade: Bool = false
    ) {
        self.status = status
        self.usage = usage
        self.hasAskedForUpgrade = hasAskedForUpgrade
    }

    /// What to ask the user after the host has asked for `scope`; nil if nothing: the user has
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

    /// What to ask the user when a host that was allowed the use in the foreground, but has asked
    /// for more, uses places in the background (D11); nil if nothing.
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

/// What a host says it needs places for, by the three keys of `Info.plist` (D9).
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

    /// Whether anything may be asked: without it, places are not used at all.
    package var isDeclared: Bool { whenInUse != nil || always != nil }
}
