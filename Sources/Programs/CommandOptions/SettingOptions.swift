import ArgumentParser
import UndersongBase
package import UndersongControl
package import UndersongPlayback

/// A group of options in `SettingTable`.
package protocol SettingOptionGroup: Sendable {
    static var group: SettingNames.Option.Group { get }
}

/// The options of `play` and `render`.
package enum PlayingSettings: SettingOptionGroup {
    package static let group = SettingNames.Option.Group.playing
}

/// The options of `play` only.
package enum LongFormSettings: SettingOptionGroup {
    package static let group = SettingNames.Option.Group.longForm
}

/// The options of `play` and `serve` for devices and other sounds.
package enum SoundSettings: SettingOptionGroup {
    package static let group = SettingNames.Option.Group.sound
}

/// The options of `play`, `render` and `serve` for the volume's scale.
package enum VolumeSettings: SettingOptionGroup {
    package static let group = SettingNames.Option.Group.volume
}

/// The options of a group of settings. Those that are not given change nothing.
///
/// The parser finds options by reflection, so they can come from the table.
package struct SettingOptions<Group: SettingOptionGroup>: ParsableArguments, Sendable {
    /// The options given.
    package private(set) var change = Settings.Change()

    package init() {}

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: SettingKey.self)
        for (name, row) in Self.rows {
            guard let setting = row.name else { continue }
            let key = SettingKey(stringValue: name)
            change[setting] =
                switch row.kind {
                case .number: try members.value(Option<Double?>.self, key).map { .number($0) }
                case .flag: try members.value(Flag<Bool?>.self, key).map { .flag($0) }
                case .word, .name: try members.value(Option<String?>.self, key).map { .text($0) }
                }
        }
    }

    package func validate() throws {
        for (name, row) in Self.rows {
            guard let range = row.wireRange, let setting = row.name,
                case .number(let number)? = change[setting]
            else { continue }
            try check("--" + name, number, range)
        }
    }

    private static var rows: [(name: String, row: SettingRow)] {
        SettingTable.rows.compactMap { row in
            guard let option = row.names.option, option.group == Group.group else { return nil }
            return (option.name, row)
        }
    }
}

extension SettingOptions: CustomReflectable {
    package var customMirror: Mirror {
        Mirror(self, children: Self.rows.map { ($0.name, $0.row.option) })
    }
}

extension SettingRow {
    /// The option, in the parser's type.
    fileprivate var option: Any {
        let name = NameSpecification.customLong(names.option?.name ?? "")
        var help = names.option.map { ArgumentHelp(stringLiteral: $0.help) }
        help?.valueName = names.verb?.argument
        return switch kind {
        case .number: Option<Double?>(name: name, help: help)
        case .flag: Flag<Bool?>(name: name, inversion: .prefixedNo, help: help)
        case .word(let words):
            Option<String?>(name: name, help: help, completion: .list(words)) {
                try chosen($0, among: words)
            }
        case .name: Option<String?>(name: name, help: help)
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func value<Value>(_ type: Option<Value?>.Type, _ key: Key) throws -> Value?
    where Value: Decodable { try decode(type, forKey: key).wrappedValue }

    fileprivate func value(_ type: Flag<Bool?>.Type, _ key: Key) throws -> Bool? {
        try decode(type, forKey: key).wrappedValue
    }
}

/// Throws if `value`, given as `name`, is out of range.
package func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws {
    guard let value, !range.contains(value) else { return }
    throw ValidationError(
        "\(name) must be from \(numberText(range.lowerBound)) to "
            + "\(numberText(range.upperBound)).")
}
