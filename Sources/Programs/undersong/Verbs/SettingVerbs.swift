import ArgumentParser
import UndersongCommandOptions
import UndersongPlayback

/// The verbs of settings: `undersong volume` and so on.
let settingVerbs = commandSettings.filter { $0.texts.verb != nil }.map { $0.verb }

extension CommandSetting {
    fileprivate static var verb: any AnySettingVerb.Type { SettingVerb<Self>.self }
}

/// The verb of any setting.
protocol AnySettingVerb: Verb {
    /// The change of the setting; nil if it is only shown.
    var change: SettingsChange? { get }
    /// Formats the answer.
    static func text(_ settings: Settings) -> String
}

/// Shows or changes a setting.
struct SettingVerb<Setting: CommandSetting>: AnySettingVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: verb.name, abstract: verb.abstract, discussion: verb.discussion)
    }

    private static var verb: SettingTexts.Verb {
        guard let verb = Setting.texts.verb else { preconditionFailure("not among the verbs") }
        return verb
    }

    /// The new value.
    private struct Target: ExpressibleByArgument {
        let setting: SettingTarget

        init?(argument: String) {
            guard let target = SettingTarget(argument, of: Setting.texts.row, verb) else {
                return nil
            }
            setting = target
        }

        init(word: String) throws {
            setting = try SettingTarget(word: word, of: Setting.texts.row, verb)
        }
    }

    @Argument private var target: Target?
    @OptionGroup var options: SessionOptions

    init() {
        let help = ArgumentHelp(Self.verb.help, valueName: Self.verb.argument)
        let words = Setting.texts.row.words
        _target =
            words.isEmpty
            ? Argument(help: help)
            : Argument(
                help: help, completion: .list(words + Self.verb.words.keys.sorted()),
                transform: Target.init(word:))
    }

    func validate() throws {
        guard let noun = Self.verb.noun, let setting = target?.setting,
            setting.name == Setting.texts.row.name, case .number(let number) = setting.value,
            let range = Setting.texts.row.wireRange
        else { return }
        try check(noun, number, range)
    }

    func perform() throws {
        let purpose = Self.verb.purpose
        if let change {
            try options.ask("change \(purpose)", SetSettings(change), Self.text)
        } else {
            try options.ask("show \(purpose)", GetSettings(), Self.text)
        }
    }

    var change: SettingsChange? {
        target.map { target in
            var change = SettingsChange()
            change[target.setting.name] = target.setting.value
            return change
        }
    }

    /// The setting, even one that is shown only as a remark on another: `volume 80 (not muted)`.
    static func text(_ settings: Settings) -> String {
        let texts = Setting.texts
        let text = StatusText.setting(texts, of: settings)
        guard case .remark = texts.style, settings[texts.row.name] != .flag(true) else {
            return text
        }
        return "\(text) (not \(texts.label))"
    }
}

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
