package import UndersongPlayback

extension PlayerEvent {
    /// The settings, with those that concern the play order in `modes`.
    @dynamicMemberLookup
    package struct Settings: Hashable, Sendable {
        private var fields: [String: SettingValue] = [:]
        private var modes: [String: SettingValue] = [:]

        package init(_ settings: PlayerSettings) {
            for row in SettingTable.rows {
                guard let name = row.name else { continue }
                if row.names.isMode {
                    modes[name] = row.value(in: settings)
                } else {
                    fields[name] = row.value(in: settings)
                }
            }
            modes["stopAfter"] = (settings.modes.stopCondition?.rawValue).map { .text($0) }
        }

        /// The value of a setting.
        package subscript<Value>(
            dynamicMember setting: KeyPath<SettingTable, Setting<Value>>
        ) -> Value? {
            let name = SettingTable.standard[keyPath: setting].name
            return (fields[name] ?? modes[name]).flatMap { Value($0) }
        }

        /// What playback stops after: an item, a chapter or the queue; nil if it does not.
        package var stopAfter: String? { modes["stopAfter"].flatMap { String($0) } }
    }
}

extension PlayerEvent.Settings: Codable {
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: SettingKey.self)
        let key = SettingKey(stringValue: "modes")
        let modes = try members.nestedContainer(keyedBy: SettingKey.self, forKey: key)
        for row in SettingTable.rows {
            guard let name = row.name else { continue }
            let key = SettingKey(stringValue: name)
            if row.names.isMode {
                self.modes[name] = try modes.value(forKey: key)
            } else {
                fields[name] = try members.value(forKey: key)
            }
        }
        self.modes["stopAfter"] = try modes.value(forKey: SettingKey(stringValue: "stopAfter"))
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: SettingKey.self)
        for (name, value) in fields {
            try members.encode(value, forKey: SettingKey(stringValue: name))
        }
        var nested = members.nestedContainer(
            keyedBy: SettingKey.self, forKey: SettingKey(stringValue: "modes"))
        for (name, value) in modes {
            try nested.encode(value, forKey: SettingKey(stringValue: name))
        }
    }
}

extension KeyedDecodingContainer<SettingKey> {
    /// A value of its own type; nil if there is none.
    fileprivate func value(forKey key: SettingKey) throws -> SettingValue? {
        if let isOn = try? decode(Bool.self, forKey: key) { return .flag(isOn) }
        if let number = try? decode(Double.self, forKey: key) { return .number(number) }
        return try decodeIfPresent(String.self, forKey: key).map { .text($0) }
    }
}
