/// What to change in the settings: new values of some of them, and steps from old ones. What is
/// missing stays as it is.
@dynamicMemberLookup
public struct SettingsChange: Hashable, Sendable {
    /// By the names that they have in the entries of `SettingTable`.
    package var values: [String: SettingValue] = [:]

    /// Changes nothing yet.
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

    /// This change, and another one after it.
    package func adding(_ other: SettingsChange) -> SettingsChange {
        var sum = self
        sum.values.merge(other.values) { $1 }
        return sum
    }

    /// Why it cannot be made; nil: it can.
    package var problem: SettingProblem? {
        for entry in SettingTable.entries {
            if let problem = values[entry.name].flatMap(entry.problem) { return problem }
        }
        return nil
    }

    /// Makes the change, which has no problem.
    package func apply(to settings: inout PlayerSettings) {
        for entry in SettingTable.entries {
            if let value = values[entry.name] { entry.apply(&settings, value) }
        }
    }
}
