import ArgumentParser
import UndersongBase
package import UndersongPlayback

/// A setting on the command line.
package protocol CommandSetting: SendableMetatype {
    static var texts: SettingTexts { get }
}

/// The texts of a setting on the command line: its place in a status, and its verb.
package struct SettingTexts: Sendable {
    /// The condition on which a setting is part of a status.
    package enum Style: Sendable {
        case always
        case ifUnusual
        /// As `ifUnusual`, but without its value.
        case mark
        /// After the text of the other setting, if unusual.
        case remark(on: any CommandSetting.Type)
    }

    /// A verb that shows or changes a setting.
    package struct Verb: Sendable {
        package let name: String
        package let abstract: String
        package var discussion = ""
        /// The name of the argument in usage and error texts.
        package let argument: String
        package let help: String
        /// The name of a number that is out of range; nil if such a number is not a value at all.
        package var noun: String?
        /// The object of the verb's action, as in `cannot change the rate`.
        package let purpose: String
        /// The name of the step for a number with a sign.
        package var step: String?
        /// Words that set something else: the name and value of another setting.
        package var words: [String: (name: String, value: SettingValue)] = [:]
    }

    /// The setting's row in the table.
    package var row: SettingRow { path(.standard) }
    private let path: @Sendable (SettingTable) -> SettingRow
    /// The name in `skip back 15 s`.
    package let label: String
    package let unit: String
    package let style: Style
    package let verb: Verb?

    init(
        _ path: @escaping @Sendable (SettingTable) -> SettingRow, _ label: String,
        unit: String = "", _ style: Style = .ifUnusual, verb: Verb? = nil
    ) {
        self.path = path
        self.label = label
        self.unit = unit
        self.style = style
        self.verb = verb
    }
}

extension CommandSetting {
    /// The help of the setting's option.
    static func help(_ text: String) -> ArgumentHelp {
        var help = ArgumentHelp(stringLiteral: text)
        help.valueName = texts.verb?.argument
        return help
    }
}

extension SettingsChange {
    /// Throws if a number is out of its range. An option has the name of its setting, with hyphens.
    func checkRanges() throws {
        for row in SettingTable.rows(in: .wire) {
            guard let range = row.wireRange, case .number(let number)? = self[row.name] else {
                continue
            }
            let name = row.name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }
            try check("--" + name.joined(), number, range)
        }
    }
}

/// Throws if `value`, given as `name`, is out of range.
package func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws {
    guard let value, !range.contains(value) else { return }
    throw ValidationError(
        "\(name) must be from \(numberText(range.lowerBound)) to "
            + "\(numberText(range.upperBound)).")
}
