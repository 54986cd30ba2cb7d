public import UndersongBase

/// The value of a setting on the wire and in events.
public enum SettingValue: Hashable, Sendable {
    /// A number.
    case number(Double)
    /// On or off.
    case flag(Bool)
    /// A word or a name.
    case text(String)
}

extension SettingValue: Codable {
    /// Decodes the plain value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let isOn = try? container.decode(Bool.self) {
            self = .flag(isOn)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Encodes the plain value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .flag(let isOn): try container.encode(isOn)
        case .text(let text): try container.encode(text)
        }
    }
}

/// A type that a setting's value may have.
public protocol SettingType: Codable, Sendable {
    /// Converts from a value; nil if it has another type.
    init?(_ value: SettingValue)
    /// This as a value of a setting.
    var settingValue: SettingValue { get }
}

extension Double: SettingType {
    /// Converts from a number.
    public init?(_ value: SettingValue) {
        guard case .number(let number) = value else { return nil }
        self = number
    }

    /// A number.
    public var settingValue: SettingValue { .number(self) }
}

extension Bool: SettingType {
    /// Converts from a flag.
    public init?(_ value: SettingValue) {
        guard case .flag(let isOn) = value else { return nil }
        self = isOn
    }

    /// A flag.
    public var settingValue: SettingValue { .flag(self) }
}

extension String: SettingType {
    /// Converts from a text.
    public init?(_ value: SettingValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }

    /// A text.
    public var settingValue: SettingValue { .text(self) }
}

extension SettingType where Self: RawRepresentable<String> {
    /// Converts from the text of a word.
    public init?(_ value: SettingValue) {
        guard case .text(let word) = value else { return nil }
        self.init(rawValue: word)
    }

    /// The text of the word.
    public var settingValue: SettingValue { .text(rawValue) }
}

extension Open: SettingType {
    /// Converts from the text of a word, known or not.
    public init?(_ value: SettingValue) {
        guard case .text(let word) = value else { return nil }
        self.init(word: word)
    }

    /// The text of the word.
    public var settingValue: SettingValue { .text(word) }
}

extension RepeatMode: SettingType {}
extension ItemEndAction: SettingType {}
extension StopCondition: SettingType {}
extension ReplayGainMode: SettingType {}
extension UnplugPolicy: SettingType {}
extension MixingMode: SettingType {}
extension SleepInhibition: SettingType {}
