import UndersongBase

/// A row of `SettingTable`, with the type of its value.
public struct Setting<Value: SettingType>: Sendable, SettingTableMember {
    package let row: SettingRow

    var rows: [SettingRow] { [row] }
    var entries: [SettingEntry] { row.places.contains(.wire) ? [row.entry] : [] }
    /// The setting's name on the wire.
    package var name: String { row.name }
}

/// A setting: where it is kept, its possible values and its name.
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

    /// The places in which a setting is seen, besides the player.
    package struct Places: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The service's file.
        package static let file = Places(rawValue: 1)
        /// The requests to the service, and their replies.
        package static let wire = Places(rawValue: 2)
        package static let events = Places(rawValue: 4)
        static let all: Places = [.file, .wire, .events]
    }

    /// The name in all places.
    package let name: String
    package let kind: Kind
    private let type: any SettingType.Type
    package let places: Places
    /// The name in an error about a wrong value.
    package let noun: String
    /// True if events list it among the `modes`.
    let isMode: Bool
    private let get: @Sendable (PlayerSettings) -> SettingValue?
    private let set: @Sendable (inout PlayerSettings, SettingValue?) -> Bool
    /// The value in the service's file instead of a number that also depends on another setting.
    private let stored: (any WritableKeyPath<PlayerSettings, Float> & Sendable)?

    fileprivate init(
        _ name: String, _ kind: Kind, _ type: any SettingType.Type, noun: String = "",
        isMode: Bool = false, in places: Places,
        stored: (any WritableKeyPath<PlayerSettings, Float> & Sendable)? = nil,
        get: @escaping @Sendable (PlayerSettings) -> SettingValue?,
        set: @escaping @Sendable (inout PlayerSettings, SettingValue?) -> Bool
    ) {
        self.name = name
        self.kind = kind
        self.type = type
        self.places = places
        self.noun = noun
        self.isMode = isMode
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
        stored.map { .number(Double(settings[keyPath: $0])) } ?? get(settings)
    }

    /// Sets the value from the service's file. Returns false if it is not a valid value.
    package func restore(_ value: SettingValue?, in settings: inout PlayerSettings) -> Bool {
        guard let stored else { return set(&settings, value) }
        guard case .number(let number)? = value else { return false }
        settings[keyPath: stored] = Float(number)
        return true
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

    /// The entry for its value in a change.
    var entry: SettingEntry {
        SettingEntry(
            name: name, type: type, isMode: isMode, problem: { problem(with: $0) },
            apply: { _ = set(&$0, ownValue($1)) })
    }

    private func problem(with value: SettingValue) -> SettingProblem? {
        switch (kind, value) {
        case (.number, .number(let number)):
            guard let range = wireRange, !range.contains(number) else { return nil }
            return .outOfRange(noun: noun, number, range)
        case (.word(let words), .text(let word)):
            return words.contains(word) ? nil : .unknown(noun: noun, word, words)
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
        in range: ClosedRange<Double>, noun: String
    ) {
        row = SettingRow(name, .number(range, factor: 1), Double.self, path, noun: noun)
    }

    /// A fraction from 0 to 1, in percent on the wire. The service's file has `stored` instead.
    init(
        _ name: String, percentOf path: any WritableKeyPath<PlayerSettings, Double> & Sendable,
        stored: any WritableKeyPath<PlayerSettings, Float> & Sendable, noun: String
    ) {
        row = SettingRow(
            name, .number(0...1, factor: 100), Double.self, path, noun: noun, stored: stored)
    }
}

extension Setting where Value == Bool {
    init(
        _ name: String, _ path: any WritableKeyPath<PlayerSettings, Bool> & Sendable,
        isMode: Bool = false
    ) {
        row = SettingRow(name, .flag, Bool.self, path, isMode: isMode)
    }
}

extension Setting
where Value: RawRepresentable<String> & CaseIterable & Hashable & SendableMetatype {
    private static var words: SettingRow.Kind { .word(Value.allCases.map(\.rawValue)) }

    init(
        _ name: String, _ path: any WritableKeyPath<PlayerSettings, Value> & Sendable,
        noun: String = "", isMode: Bool = false, in places: SettingRow.Places = .all
    ) {
        row = SettingRow(
            name, Self.words, Open<Value>.self, path, noun: noun, isMode: isMode, in: places)
    }

    /// A word, or none, among the modes of events.
    init(
        _ name: String, modeIn path: any WritableKeyPath<PlayerSettings, Value?> & Sendable
    ) {
        row = SettingRow(name, Self.words, Open<Value>.self, isMode: true, in: .events) {
            $0[keyPath: path]?.settingValue
        } set: { settings, value in
            settings[keyPath: path] = value.flatMap { Value($0) }
            return true
        }
    }
}

extension Setting where Value == String {
    /// A name, which is nil if it is empty on the wire.
    init(
        _ name: String, nameIn path: any WritableKeyPath<PlayerSettings, String?> & Sendable,
        in places: SettingRow.Places = .all
    ) {
        row = SettingRow(name, .name, String.self, in: places) {
            $0[keyPath: path]?.settingValue
        } set: { settings, value in
            settings[keyPath: path] = value.flatMap { String($0) }.flatMap { $0.isEmpty ? nil : $0 }
            return true
        }
    }
}

extension SettingRow {
    /// A setting that always has a value.
    fileprivate init<Value: SettingType>(
        _ name: String, _ kind: Kind, _ type: any SettingType.Type,
        _ path: any WritableKeyPath<PlayerSettings, Value> & Sendable, noun: String = "",
        isMode: Bool = false, in places: Places = .all,
        stored: (any WritableKeyPath<PlayerSettings, Float> & Sendable)? = nil
    ) {
        self.init(name, kind, type, noun: noun, isMode: isMode, in: places, stored: stored) {
            $0[keyPath: path].settingValue
        } set: { settings, value in
            guard let value = value.flatMap({ Value($0) }) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }
}
