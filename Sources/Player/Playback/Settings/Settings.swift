public import UndersongBase

/// Values by the names of settings, which are the members of a JSON object. A missing value is none.
@dynamicMemberLookup
public protocol SettingValues: Codable, Hashable, Sendable {
    /// The possible members.
    static var entries: [SettingEntry] { get }
    /// The member that has the values of the modes; nil if they are among the others.
    static var modes: String? { get }
    /// The values by the names of the entries.
    var values: [String: SettingValue] { get set }

    /// No values.
    init()
}

extension SettingValues {
    /// The modes are among the other settings.
    public static var modes: String? { nil }

    /// The value of a setting.
    public subscript<Value>(
        dynamicMember setting: KeyPath<SettingTable, Setting<Value>>
    ) -> Value? {
        get { values[SettingTable.standard[keyPath: setting].name].flatMap { Value($0) } }
        set { values[SettingTable.standard[keyPath: setting].name] = newValue?.settingValue }
    }

    /// The value under the name of an entry.
    package subscript(name: String) -> SettingValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Decodes values.
    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: SettingKey.self)
        let modes = try Self.modes.map {
            try members.nestedContainer(
                keyedBy: SettingKey.self, forKey: SettingKey(stringValue: $0))
        }
        for entry in Self.entries {
            values[entry.name] = try (entry.isMode ? modes ?? members : members)
                .value(entry.type, SettingKey(stringValue: entry.name))
        }
    }

    /// Encodes the values.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: SettingKey.self)
        var modes = Self.modes.map {
            members.nestedContainer(
                keyedBy: SettingKey.self, forKey: SettingKey(stringValue: $0))
        }
        for entry in Self.entries {
            guard let value = values[entry.name] else { continue }
            let key = SettingKey(stringValue: entry.name)
            if entry.isMode, modes != nil {
                try modes?.encode(value, forKey: key)
            } else {
                try members.encode(value, forKey: key)
            }
        }
    }
}

/// A setting's name as a coding key.
private struct SettingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer {
    fileprivate func value<Value: SettingType>(
        _ type: Value.Type, _ key: Key
    ) throws -> SettingValue? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decode(type, forKey: key).settingValue
    }
}

/// The player's settings: a value for each setting of `SettingTable` that has one.
public struct Settings: SettingValues {
    /// The settings of the wire.
    public static let entries = SettingTable.rows(in: .wire).map(\.entry)
    /// The values by the names of the settings.
    public var values: [String: SettingValue] = [:]

    /// No settings.
    public init() {}

    /// Creates settings from a player's.
    package init(_ settings: PlayerSettings) {
        for row in SettingTable.rows(in: .wire) { values[row.name] = row.wireValue(in: settings) }
    }
}

/// A change of settings: new values for some, and steps from the old values of others. Settings
/// that are missing stay unchanged.
public struct SettingsChange: SettingValues {
    /// The settings of the wire, and the steps.
    public static var entries: [SettingEntry] { SettingTable.entries }
    /// The values by the names of the entries.
    public var values: [String: SettingValue] = [:]

    /// Creates an empty change.
    public init() {}

    /// A step from the old value of a setting.
    public subscript<Value>(
        dynamicMember step: KeyPath<SettingTable, SettingStep<Value>>
    ) -> Value? {
        get { values[SettingTable.standard[keyPath: step].name].flatMap { Value($0) } }
        set { values[SettingTable.standard[keyPath: step].name] = newValue?.settingValue }
    }

    /// This change, followed by another one.
    package func adding(_ other: SettingsChange) -> SettingsChange {
        var sum = self
        sum.values.merge(other.values) { $1 }
        return sum
    }

    /// The reason why the change cannot be made; nil if it can.
    package var problem: SettingProblem? {
        for entry in SettingTable.entries {
            if let problem = values[entry.name].flatMap(entry.problem) { return problem }
        }
        return nil
    }

    /// Applies the change, which must have no problem.
    package func apply(to settings: inout PlayerSettings) {
        for entry in SettingTable.entries {
            if let value = values[entry.name] { entry.apply(&settings, value) }
        }
    }
}

/// The settings as events have them: the volume from 0 to 1, and the play order in `modes`.
public struct SettingsEvent: SettingValues {
    /// The settings of events.
    public static let entries = SettingTable.rows(in: .events).map(\.entry)
    /// The member of the modes.
    public static let modes: String? = "modes"
    /// The values by the names of the settings.
    public var values: [String: SettingValue] = [:]

    /// No settings.
    public init() {}

    /// Creates the event of a player's settings.
    package init(_ settings: PlayerSettings) {
        for row in SettingTable.rows(in: .events) { values[row.name] = row.value(in: settings) }
    }
}

/// Asks for all settings.
public struct GetSettings: ControlCall {
    /// All settings.
    public typealias Reply = Settings
    /// The name of the method.
    public static let method = "settings.get"

    /// Creates a request.
    public init() {}
}

/// Changes settings.
public struct SetSettings: ControlCall {
    /// All settings afterwards.
    public typealias Reply = Settings
    /// The name of the method.
    public static let method = "settings.set"
    /// The settings to change.
    public var change: SettingsChange

    /// Creates a request.
    public init(_ change: SettingsChange) { self.change = change }
}
