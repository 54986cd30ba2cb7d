import ArgumentParser
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// The settings' verbs, in the table's order: `undersong volume` and so on.
let settingVerbs = verbs(from: FirstVerb.self)

private func verbs<Place: VerbPlace>(from place: Place.Type) -> [any ParsableCommand.Type] {
    guard Place.number < verbRows.count else { return [] }
    return [SettingVerb<Place>.self] + verbs(from: Place.next)
}

private let verbRows = SettingTable.rows.compactMap { row in
    row.names.verb.map { (row: row, verb: $0) }
}

/// The index of one of these verbs, from 0. It is a type because the parser identifies a verb by
/// its type: the third is `SettingVerb<VerbAfter<VerbAfter<FirstVerb>>>`.
protocol VerbPlace: SendableMetatype {
    static var number: Int { get }
    static var next: any VerbPlace.Type { get }
}

enum FirstVerb: VerbPlace {
    static let number = 0
    static var next: any VerbPlace.Type { VerbAfter<Self>.self }
}

enum VerbAfter<Place: VerbPlace>: VerbPlace {
    static var number: Int { Place.number + 1 }
    static var next: any VerbPlace.Type { VerbAfter<Self>.self }
}

/// Shows or changes a setting.
struct SettingVerb<Place: VerbPlace>: Verb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: verb.name, abstract: verb.abstract, discussion: verb.discussion)
    }

    private static var row: SettingRow { verbRows[Place.number].row }
    private static var verb: SettingNames.Verb { verbRows[Place.number].verb }

    /// The new value.
    private struct Target: ExpressibleByArgument {
        let setting: SettingTarget

        init?(argument: String) {
            guard let target = SettingTarget(argument, of: row, verb) else { return nil }
            setting = target
        }

        init(word: String) throws { setting = try SettingTarget(word: word, of: row, verb) }
    }

    @Argument private var target: Target?

    @OptionGroup var options: SessionOptions

    init() {
        let help = ArgumentHelp(Self.verb.help, valueName: Self.verb.argument)
        let words = Self.row.words
        _target =
            words.isEmpty
            ? Argument(help: help)
            : Argument(
                help: help, completion: .list(words + Self.verb.words.keys.sorted()),
                transform: Target.init(word:))
    }

    func validate() throws {
        guard let noun = Self.verb.noun, let setting = target?.setting,
            setting.name == Self.row.name, case .number(let number) = setting.value,
            let range = Self.row.wireRange
        else { return }
        try check(noun, number, range)
    }

    func perform() throws {
        var change = Settings.Change()
        if let setting = target?.setting { change[setting.name] = setting.value }
        try options.ask(
            (target == nil ? "show " : "change ") + Self.verb.purpose, SetSettings(change),
            startsService: true
        ) { Self.text($0) }
    }

    /// The setting, even one that is shown only as a remark on another: `volume 80 (not muted)`.
    private static func text(_ settings: Settings) -> String {
        let text = StatusText.setting(row, of: settings)
        guard let remark = row.names.text, case .remark = remark.style,
            settings[row] != .flag(true)
        else { return text }
        return "\(text) (not \(remark.label))"
    }
}
