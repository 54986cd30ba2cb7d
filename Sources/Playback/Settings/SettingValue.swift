/// The value of a setting, as the wire and the events write it.
public enum SettingValue: Hashable, Sendable {
    /// A number.
    case number(Double)
    /// On or off.
    case flag(Bool)
    /// A word or a name.
    case text(String)
}

extension SettingValue: Encodable {
    /// Writes it as what it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .flag(let isOn): try container.encode(isOn)
        case .text(let text): try container.encode(text)
        }
    }
}

/// The name of a setting, where it is a key.
package struct SettingKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}

/// A type that the value of a setting may have.
public protocol SettingType: Codable, Sendable {
    /// Takes a value out. Nil: it is of another type.
    init?(_ value: SettingValue)
    /// The value that this is.
    var settingValue: SettingValue { get }
}

extension Double: SettingType {
    /// Takes a number out.
    public init?(_ value: SettingValue) {
        guard case .number(let number) = value else { return nil }
        self = number
    }

    /// A number.
    public var settingValue: SettingValue { .number(self) }
}

extension Bool: SettingType {
    /// Takes a flag out.
    public init?(_ value: SettingValue) {
        guard case .flag(let isOn) = value else { return nil }
        self = isOn
    }

    /// A flag.
    public var settingValue: SettingValue { .flag(self) }
}

extension String: SettingType {
    /// Takes a text out.
    public init?(_ value: SettingValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }

    /// A text.
    public var settingValue: SettingValue { .text(self) }
}
