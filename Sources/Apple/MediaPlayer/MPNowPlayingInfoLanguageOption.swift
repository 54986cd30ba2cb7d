public import Foundation

/// A language of an item's sound or text, for `MPNowPlayingInfoPropertyAvailableLanguageOptions`. It
/// is kept with the item; no desktop shows it.
public final class MPNowPlayingInfoLanguageOption: NSObject, Sendable {
    /// The kind of track that the language belongs to.
    public let languageOptionType: MPNowPlayingInfoLanguageOptionType
    /// The language as in RFC 4646, such as `en`.
    public let languageTag: String?
    /// The characteristics that distinguish it from other options of the language.
    public let languageOptionCharacteristics: [String]?
    /// The name to show.
    public let displayName: String?
    /// The identifier within its group.
    public let identifier: String?

    /// Makes an option.
    public init(
        type languageOptionType: MPNowPlayingInfoLanguageOptionType, languageTag: String,
        characteristics languageOptionCharacteristics: [String]?, displayName: String,
        identifier: String
    ) {
        self.languageOptionType = languageOptionType
        self.languageTag = languageTag
        self.languageOptionCharacteristics = languageOptionCharacteristics
        self.displayName = displayName
        self.identifier = identifier
    }

    /// Returns true if it stands for the system's choice of a legible option: identifier and tag
    /// are empty.
    public func isAutomaticLegibleLanguageOption() -> Bool { isAutomatic(.legible) }

    /// Returns true if it stands for the system's choice of an audible option: identifier and tag
    /// are empty.
    public func isAutomaticAudibleLanguageOption() -> Bool { isAutomatic(.audible) }

    private func isAutomatic(_ type: MPNowPlayingInfoLanguageOptionType) -> Bool {
        languageOptionType == type && (languageTag ?? "").isEmpty && (identifier ?? "").isEmpty
    }
}

/// The kinds of tracks that have a language.
public enum MPNowPlayingInfoLanguageOptionType: UInt, Sendable {
    /// Sound.
    case audible = 0
    /// Text.
    case legible = 1
}

/// Languages of which one is chosen.
public final class MPNowPlayingInfoLanguageOptionGroup: NSObject, Sendable {
    /// The languages.
    public let languageOptions: [MPNowPlayingInfoLanguageOption]
    /// The one that applies unless another is chosen.
    public let defaultLanguageOption: MPNowPlayingInfoLanguageOption?
    /// True if none may be chosen.
    public let allowEmptySelection: Bool

    /// Makes a group.
    public init(
        languageOptions: [MPNowPlayingInfoLanguageOption],
        defaultLanguageOption: MPNowPlayingInfoLanguageOption?, allowEmptySelection: Bool
    ) {
        self.languageOptions = languageOptions
        self.defaultLanguageOption = defaultLanguageOption
        self.allowEmptySelection = allowEmptySelection
    }
}
