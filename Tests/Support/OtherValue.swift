package import UndersongPlayback

extension SettingRow {
    /// A value on the wire other than the default.
    package var otherValue: SettingValue {
        let usual = wireValue(in: PlayerSettings())
        switch kind {
        case .number:
            let range = wireRange ?? 0...0
            let highest = SettingValue.number(range.upperBound)
            return usual == highest ? .number(range.lowerBound) : highest
        case .flag: return .flag(usual == .flag(false))
        case .word(let words): return .text(words.first { .text($0) != usual } ?? "")
        case .name: return .text("other")
        }
    }
}

extension PlayerSettings {
    /// Settings in which every value on the wire differs from the default.
    package static var other: PlayerSettings {
        var settings = PlayerSettings()
        for row in SettingTable.rows(in: .wire) {
            let entry = SettingTable.entries.first { $0.name == row.name }
            entry?.apply(&settings, row.otherValue)
        }
        return settings
    }
}
