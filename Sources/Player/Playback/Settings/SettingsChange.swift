/// A change of settings: new values for some, and steps from the old values of others. Settings
/// that are missing stay unchanged.
@dynamicMemberLookup
public struct SettingsChange: Hashable, Sendable {
    /// By the names of the entries in `SettingTable`.
    package var values: [String: SettingValue] = [:]

    /// Creates an empty change.
    public init() {}

    /// The new value of a setting.
    public subscript<Value>(
        dynamicMember setting: KeyPath<SettingTable, Setting<Value>>
    ) -> Value? {
        get { values[SettingTable.standard[keyPath: setting].name].flatMap { Value($0) } }
        set { values[SettingTable.standard[keyPath: setting].name] = newValue?.settingValue }
    }

    /// A step from the old value of a setting.
    public subscript<Value>(
        dynamicMember step: KeyPath<SettingTable, SettingStep<Value>>
    ) -> Value? {
        get { values[SettingTable.standard[keyPath: step].name].flatMap { Value($0) } }
        set { values[SettingTable.standard[keyPath: step].name] = newValue?.settingValue }
    }

    /// The value under the name of an entry.
    package subscript(name: String) -> SettingValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// This change, followed by another one.
    package func adding(_ other: SettingsChange) -> SettingsChange {
        var sum = self
        sum.values.merge(other.values) { $1 }
        return sum
    }

    /// Why the change cannot be made; nil if it can.
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
