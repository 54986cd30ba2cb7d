import Playback

/// The fields of an event that has the settings.
struct SettingsLine: Encodable {
    var line: EventLine
    var settings: PlayerSettings

    func encode(to encoder: any Encoder) throws {
        try line.encode(to: encoder)
        var fields = encoder.container(keyedBy: SettingKey.self)
        var modes = fields.nestedContainer(
            keyedBy: SettingKey.self, forKey: SettingKey(stringValue: "modes"))
        for row in SettingTable.rows {
            guard let name = row.name, let value = row.value(in: settings) else { continue }
            let key = SettingKey(stringValue: name)
            if row.names.isMode {
                try modes.encode(value, forKey: key)
            } else {
                try fields.encode(value, forKey: key)
            }
        }
        try modes.encodeIfPresent(
            settings.modes.stopCondition?.rawValue, forKey: SettingKey(stringValue: "stopAfter"))
    }
}
