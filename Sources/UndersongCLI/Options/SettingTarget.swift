import CommandOptions
import Playback

/// What to make of a setting: its value, a step, or what a word stands for.
struct SettingTarget: Equatable {
    /// What changes, by its name on the wire.
    var name: String
    var value: SettingValue

    /// Reads a name or a number; for the volume `+5`, `-5`, `80%` and `mute` too. Nil: it is none of
    /// that.
    init?(_ text: String, of row: SettingRow, _ verb: SettingNames.Verb) {
        if let word = verb.words[text] {
            (name, value) = word
            return
        }
        if case .name = row.kind, let name = row.name {
            (self.name, value) = (name, .text(text))
            return
        }
        let digits = verb.step != nil && text.hasSuffix("%") ? String(text.dropLast()) : text
        guard let name = row.name, let range = row.wireRange, let number = Double(digits) else {
            return nil
        }
        let isStep = digits.hasPrefix("+") || digits.hasPrefix("-")
        if let step = verb.step, isStep {
            guard abs(number) <= range.upperBound else { return nil }
            self.name = step
        } else {
            // One with a name is refused by that.
            guard verb.noun != nil || range.contains(number) else { return nil }
            self.name = name
        }
        value = .number(number)
    }

    /// Reads one of the setting's words, or `on` or `off`. Errors: it is none, and which one it
    /// resembles.
    init(word text: String, of row: SettingRow) throws {
        let word = try chosen(text, among: row.words)
        name = row.name ?? ""
        if case .flag = row.kind {
            value = .flag(word == Switch.on.rawValue)
        } else {
            value = .text(word)
        }
    }
}

extension SettingRow {
    /// The words that its verb takes; none where it takes a number or a name.
    var words: [String] {
        switch kind {
        case .flag: Switch.allCases.map(\.rawValue)
        case .word(let words): words
        case .number, .name: []
        }
    }
}
