import UndersongCommandOptions
import UndersongPlayback

/// The keys of the player: the usual ones, and those of the configuration file, which come first.
struct KeyMap: Equatable, Sendable {
    /// The usual keys alone.
    static let usual = KeyMap()

    private var own: [KeyStroke: Key] = [:]
    /// The keys of the file and their actions, as it names them.
    private(set) var texts: [KeyText.Entry] = []

    private init() {}

    /// The keys of `configuration`; nil if there is no file. Errors: a key or an action that does
    /// not exist.
    init(_ configuration: Configuration?) throws(ConfigurationError) {
        guard let configuration else { return }
        for key in configuration.keys {
            guard let stroke = KeyStroke(named: key.name) else {
                throw ConfigurationError(
                    configuration.path, key.line,
                    "There is no key '\(key.name)'; a key is a character, or one of "
                        + KeyStroke.names.keys.sorted().joined(separator: ", ") + ", ctrl-a")
            }
            guard let action = Key(named: key.action) else {
                let meant = Suggestion.text(for: key.action, among: Key.actionNames)
                throw ConfigurationError(
                    configuration.path, key.line,
                    "There is no action '\(key.action)'\(meant)"
                        + (meant.isEmpty
                            ? "; actions are " + Key.actionNames.joined(separator: ", ") : ""))
            }
            own[stroke] = action
            texts.append(KeyText.Entry(keys: key.name, meaning: key.action))
        }
    }

    /// The command of a key.
    func key(for stroke: KeyStroke) -> Key { own[stroke] ?? Key(stroke) }
}

extension KeyStroke {
    static let names: [String: KeyStroke] = [
        "space": .character(" "), "enter": .enter, "tab": .tab, "escape": .escape,
        "backspace": .backspace, "up": .up, "down": .down, "right": .right, "left": .left,
        "shift-up": .shiftUp, "shift-down": .shiftDown, "home": .home, "end": .end,
        "page-up": .pageUp, "page-down": .pageDown, "insert": .insert, "delete": .delete,
    ]

    /// The key of this name: a character, one of `names`, or `ctrl-a`.
    init?(named name: String) {
        if let key = Self.names[name] {
            self = key
        } else if name.count == 1, let character = name.first, !character.isWhitespace {
            self = .character(character)
        } else if name.count == 6, name.hasPrefix("ctrl-"), let letter = name.last,
            ("a"..."z").contains(letter)
        {
            self = .control(letter)
        } else {
            return nil
        }
    }
}

extension Key {
    /// The actions beside the player's commands.
    private static let actions: [String: Key] = [
        "mute": .mute, "faster": .rate(1.1), "slower": .rate(1 / 1.1), "normal-speed": .rate(nil),
        "shuffle": .shuffle, "repeat": .repeatMode, "quit": .quit, "detach": .detach,
        "help": .help, "nothing": .unknown,
    ]

    /// What actions are called; those with a value by an example.
    static let actionNames =
        (PlayerCommand.allCases.map(\.rawValue) + actions.keys).sorted()
        + ["seek +30", "seek 50%", "volume -5"]

    /// The action of this name, such as `next` or `seek +30`.
    init?(named name: String) {
        if let key = PlayerCommand(rawValue: name).map(Key.player) ?? Self.actions[name] {
            self = key
            return
        }
        let words = name.split(separator: " ")
        guard words.count == 2, let value = words.last else { return nil }
        let isSigned = value.hasPrefix("+") || value.hasPrefix("-")
        switch words[0] {
        case "seek" where value.hasSuffix("%") && !isSigned:
            guard let part = Double(value.dropLast()), 0..<100 ~= part else { return nil }
            self = .part(part / 100)
        case "seek" where isSigned:
            guard let seconds = Double(value), abs(seconds) <= 86400 else { return nil }
            self = .seek(seconds)
        case "volume" where isSigned:
            guard let percent = Double(value), abs(percent) <= 100 else { return nil }
            self = .volume(percent)
        default: return nil
        }
    }
}
