/// What a change of the settings may hold under one name: a new value, or a step from the old one.
package struct SettingEntry: Sendable {
    /// What it is called on the wire.
    package let name: String
    /// The type of its value.
    package let type: any SettingType.Type
    /// Why a value cannot be taken; nil: it can.
    package let problem: @Sendable (SettingValue) -> SettingProblem?
    /// Changes the settings by a value that can be taken.
    package let apply: @Sendable (inout PlayerSettings, SettingValue) -> Void
}

/// Why a value cannot be taken.
package enum SettingProblem: Error, Equatable {
    /// A number that is out of the range of what `noun` calls.
    case outOfRange(noun: String, Double, ClosedRange<Double>)
    /// A word that is none of those that there are.
    case unknown(noun: String, String, [String])
    /// A step that leads nowhere, such as by an infinite number.
    case noStep
}

/// A change that depends on the value a setting has, such as the next of several.
public struct SettingStep<Value: SettingType>: Sendable, SettingTableMember {
    private let entry: SettingEntry

    var rows: [SettingRow] { [] }
    var entries: [SettingEntry] { [entry] }
    /// What it is called on the wire.
    package var name: String { entry.name }

    init(
        _ name: String, where isPossible: @escaping @Sendable (Value) -> Bool = { _ in true },
        _ apply: @escaping @Sendable (inout PlayerSettings, Value) -> Void
    ) {
        entry = SettingEntry(
            name: name, type: Value.self,
            problem: { Value($0).map(isPossible) ?? false ? nil : .noStep },
            apply: { settings, value in
                if let value = Value(value) { apply(&settings, value) }
            })
    }
}

/// A setting, or a step of one.
protocol SettingTableMember {
    var rows: [SettingRow] { get }
    var entries: [SettingEntry] { get }
}
