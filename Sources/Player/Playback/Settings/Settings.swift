/// How the player plays: a value for each setting of `SettingTable` that has one. A missing value
/// is none.
@dynamicMemberLookup
public struct Settings: Codable, Hashable, Sendable {
    private var values = SettingValues()

    /// Creates settings from a player's.
    package init(_ settings: PlayerSettings) {
        for row in SettingTable.rows {
            if let name = row.name { values[name] = row.wireValue(in: settings) }
        }
    }

    /// Decodes settings.
    public init(from decoder: any Decoder) throws { values = try SettingValues(from: decoder) }

    /// Encodes settings.
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }

    /// The value of a setting.
    public subscript<Value>(
        dynamicMember setting: KeyPath<SettingTable, Setting<Value>>
    ) -> Value? {
        get { values[SettingTable.standard[keyPath: setting].name].flatMap { Value($0) } }
        set { values[SettingTable.standard[keyPath: setting].name] = newValue?.settingValue }
    }

    /// The value of a setting; nil if it has none.
    package subscript(row: SettingRow) -> SettingValue? { row.name.flatMap { values[$0] } }

    /// A change of settings, as in `set` and `play`.
    public typealias Change = SettingsChange
}

extension SettingsChange: Codable {
    /// Decodes a change.
    public init(from decoder: any Decoder) throws {
        self.init()
        values = try SettingValues(from: decoder).values
    }

    /// Encodes a change.
    public func encode(to encoder: any Encoder) throws {
        try SettingValues(values).encode(to: encoder)
    }
}

/// Values by their names on the wire.
private struct SettingValues: Hashable, Sendable {
    var values: [String: SettingValue]

    init(_ values: [String: SettingValue] = [:]) { self.values = values }

    subscript(name: String) -> SettingValue? {
        get { values[name] }
        set { values[name] = newValue }
    }
}

extension SettingValues: Codable {
    init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: SettingKey.self)
        for entry in SettingTable.entries {
            values[entry.name] = try members.value(entry.type, SettingKey(stringValue: entry.name))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: SettingKey.self)
        for (name, value) in values {
            try members.encode(value, forKey: SettingKey(stringValue: name))
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func value<Value: SettingType>(
        _ type: Value.Type, _ key: Key
    ) throws -> SettingValue? {
        try decodeIfPresent(type, forKey: key)?.settingValue
    }
}
