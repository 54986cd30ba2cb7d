/// An entry of a change of settings under one name: a new value, or a step from the old one.
public struct SettingEntry: Sendable {
    /// The name on the wire.
    package let name: String
    /// The type of the value.
    package let type: any SettingType.Type
    /// True if events list it among the `modes`.
    var isMode = false
    /// The reason why a value is not accepted; nil if it is.
    package let problem: @Sendable (SettingValue) -> SettingProblem?
    /// Applies an accepted value to the settings.
    package let apply: @Sendable (inout PlayerSettings, SettingValue) -> Void
}

/// The reason why a value is not accepted.
package enum SettingProblem: Error, Equatable {
    /// A number that is out of the range of `noun`.
    case outOfRange(noun: String, Double, ClosedRange<Double>)
    /// A word that is not one of the allowed ones.
    case unknown(noun: String, String, [String])
    /// A step that has no result, such as by an infinite number.
    case noStep
}

/// A change relative to the current value of a setting, such as to the next of several.
public struct SettingStep<Value: SettingType>: Sendable, SettingTableMember {
    private let entry: SettingEntry

    var rows: [SettingRow] { [] }
    var entries: [SettingEntry] { [entry] }
    /// The step's name on the wire.
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

/// A setting or a step.
protocol SettingTableMember {
    var rows: [SettingRow] { get }
    var entries: [SettingEntry] { get }
}
