import UndersongCommandOptions
import UndersongPlayback

/// A setting's new value: a value, a step, or a word.
struct SettingTarget: Equatable {
    /// The name, on the wire, of what is changed.
    var name: String
    var value: SettingValue

    /// Parses a name or a number; for the volume also `+5`, `-5`, `80%` and `mute`. Nil if it is
    /// none of these.
    init?(_ text: String, of row: SettingRow, _ verb: SettingTexts.Verb) {
        if let word = verb.words[text] {
            (name, value) = word
            return
        }
        if case .name = row.kind {
            (name, value) = (row.name, .text(text))
            return
        }
        let digits = verb.step != nil && text.hasSuffix("%") ? String(text.dropLast()) : text
        guard let range = row.wireRange, let number = Double(digits) else { return nil }
        let isStep = digits.hasPrefix("+") || digits.hasPrefix("-")
        if let step = verb.step, isStep {
            guard abs(number) <= range.upperBound else { return nil }
            name = step
        } else {
            // For a setting with a noun, the service checks the range and reports the error.
            guard verb.noun != nil || range.contains(number) else { return nil }
            name = row.name
        }
        value = .number(number)
    }

    /// Parses one of the setting's words, `on`, `off` or `toggle`. Throws if it is none, and names
    /// the most similar one.
    init(word text: String, of row: SettingRow, _ verb: SettingTexts.Verb) throws {
        let word = try chosen(text, among: row.words + verb.words.keys)
        if let step = verb.words[word] {
            (name, value) = step
            return
        }
        name = row.name
        if case .flag = row.kind {
            value = .flag(word == Switch.on.rawValue)
        } else {
            value = .text(word)
        }
    }
}

extension SettingRow {
    /// The words that the setting's verb takes; none if it takes a number or a name.
    var words: [String] {
        switch kind {
        case .flag: Switch.allCases.map(\.rawValue)
        case .word(let words): words
        case .number, .name: []
        }
    }
}
