/// A row of `SettingTable`, with the type of its value on the wire.
public struct Setting<Value: SettingType>: Sendable, SettingTableMember {
    let row: SettingRow

    var rows: [SettingRow] { [row] }
    var entries: [SettingEntry] { row.entry.map { [$0] } ?? [] }
    /// The setting's name on the wire.
    package var name: String { row.name ?? "" }
}

/// A setting: where it is saved, its possible values and its names.
package struct SettingRow: Sendable {
    /// The possible values.
    package enum Kind: Sendable {
        /// On the wire the number is multiplied by `factor`, but not in events.
        case number(ClosedRange<Double>, factor: Double)
        case flag
        case word([String])
        /// Any text, or none.
        case name
    }

    /// The name on the wire and in events; nil if only the service's file has the setting.
    package let name: String?
    package let kind: Kind
    package let names: SettingNames
    private let get: @Sendable (PlayerSettings) -> SettingValue?
    private let set: @Sendable (inout PlayerSettings, SettingValue?) -> Bool
    /// What the service's file has instead of a number that also depends on another setting.
    private let stored: (any WritableKeyPath<PlayerSettings, Float> & Sendable)?

    fileprivate init(
        _ name: String?, _ kind: Kind, _ names: SettingNames,
        stored: (any WritableKeyPath<PlayerSettings, Float> & Sendable)? = nil,
        get: @escaping @Sendable (PlayerSettings) -> SettingValue?,
        set: @escaping @Sendable (inout PlayerSettings, SettingValue?) -> Bool
    ) {
        self.name = name
        self.kind = kind
        self.names = names
        self.stored = stored
        self.get = get
        self.set = set
    }

    /// The value in `settings` as in events; nil if there is none.
    package func value(in settings: PlayerSettings) -> SettingValue? { get(settings) }

    /// The value in `settings` as on the wire; nil if there is none.
    package func wireValue(in settings: PlayerSettings) -> SettingValue? {
        guard case .number(_, let factor) = kind, factor != 1,
            case .number(let number)? = get(settings)
        else { return get(settings) }
        return .number((number * (factor * 10)).rounded() / 10)
    }

    /// The value in `settings` as in the service's file; nil for none.
    package func storedValue(in settings: PlayerSettings) -> SettingValue? {
        if let stored { return .number(Double(settings[keyPath: stored])) }
        guard let words = names.column.words else { return get(settings) }
        return .flag(get(settings) == .text(words.on))
    }

    /// Sets the value from the service's file. Returns false if it is not a valid value.
    package func restore(_ value: SettingValue?, in settings: inout PlayerSettings) -> Bool {
        if let stored {
            guard case .number(let number)? = value else { return false }
            settings[keyPath: stored] = Float(number)
            return true
        }
        guard let words = names.column.words else { return set(&settings, value) }
        return set(&settings, .text(value == .flag(true) ? words.on : words.off))
    }

    /// Clamps a number to its range.
    package func clamp(_ settings: inout PlayerSettings) {
        guard case .number(let range, _) = kind, case .number(let number)? = get(settings) else {
            return
        }
        let nearest = min(max(number, range.lowerBound), range.upperBound)
        if nearest != number { _ = set(&settings, .number(nearest)) }
    }

    /// The range of a number on the wire.
    package var wireRange: ClosedRange<Double>? {
        guard case .number(let range, let factor) = kind else { return nil }
        return range.lowerBound * factor...range.upperBound * factor
    }

    /// The entry for its value in a change; nil if the wire does not have the setting.
    var entry: SettingEntry? {
        name.map { name in
            SettingEntry(
                name: name, type: type, problem: { problem(with: $0) },
                apply: { _ = set(&$0, ownValue($1)) })
        }
    }

    private var type: any SettingType.Type {
        switch kind {
        case .number: Double.self
        case .flag: Bool.self
        case .word, .name: String.self
        }
    }

    private func problem(with value: SettingValue) -> SettingProblem? {
        switch (kind, value) {
        case (.number, .number(let number)):
            guard let range = wireRange, !range.contains(number) else { return nil }
            return .outOfRange(noun: names.noun, number, range)
        case (.word(let words), .text(let word)):
            return words.contains(word) ? nil : .unknown(noun: names.noun, word, words)
        default: return nil
        }
    }

    private func ownValue(_ value: SettingValue) -> SettingValue {
        guard case .number(_, let factor) = kind, case .number(let number) = value else {
            return value
        }
        return .number(number / factor)
    }
}

extension Setting where Value == Double {
    init(
        _ name: String, _ path: any WritableKeyPath<PlayerSettings, Double> & Sendable,
        in range: ClosedRange<Double>, _ names: SettingNames
    ) {
        row = SettingRow(name, .number(range, factor: 1), names) {
            .number($0[keyPath: path])
        } set: { settings, value in
            guard case .number(let number)? = value else { return false }
            settings[keyPath: path] = number
            return true
        }
    }

    /// A fraction from 0 to 1, in percent on the wire. The service's file has `stored` instead.
    init(
        _ name: String, percentOf path: any WritableKeyPath<PlayerSettings, Double> & Sendable,
        stored: any WritableKeyPath<PlayerSettings, Float> & Sendable, _ names: SettingNames
    ) {
        row = SettingRow(name, .number(0...1, factor: 100), names, stored: stored) {
            .number($0[keyPath: path])
        } set: { settings, value in
            guard case .number(let number)? = value else { return false }
            settings[keyPath: path] = number
            return true
        }
    }
}

extension Setting where Value == Bool {
    init(
        _ name: String, _ path: any WritableKeyPath<PlayerSettings, Bool> & Sendable,
        _ names: SettingNames
    ) {
        row = SettingRow(name, .flag, names) {
            .flag($0[keyPath: path])
        } set: { settings, value in
            guard case .flag(let isOn)? = value else { return false }
            settings[keyPath: path] = isOn
            return true
        }
    }
}

extension Setting where Value == String {
    init<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String?, _ path: any WritableKeyPath<PlayerSettings, Word> & Sendable,
        _ names: SettingNames
    ) {
        row = SettingRow(name, .word(Word.allCases.map(\.rawValue)), names) {
            .text($0[keyPath: path].rawValue)
        } set: { settings, value in
            guard case .text(let text)? = value, let word = Word(rawValue: text) else {
                return false
            }
            settings[keyPath: path] = word
            return true
        }
    }

    /// A flag that is written as one word if on, and as another if off.
    init(
        _ name: String, _ path: any WritableKeyPath<PlayerSettings, Bool> & Sendable, on: String,
        off: String, _ names: SettingNames
    ) {
        row = SettingRow(name, .word([on, off]), names) {
            .text($0[keyPath: path] ? on : off)
        } set: { settings, value in
            guard case .text(let text)? = value else { return false }
            settings[keyPath: path] = text == on
            return true
        }
    }

    /// A name, which is nil if it is empty on the wire.
    init(
        _ name: String?, nameIn path: any WritableKeyPath<PlayerSettings, String?> & Sendable,
        _ names: SettingNames
    ) {
        row = SettingRow(name, .name, names) {
            $0[keyPath: path].map { .text($0) }
        } set: { settings, value in
            settings[keyPath: path] = value.flatMap { String($0) }.flatMap { $0.isEmpty ? nil : $0 }
            return true
        }
    }
}
