import UndersongBackground
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

    /// The keys of `configuration`; nil if there is no file.
    ///
    /// - Throws: an error if a key or an action does not exist.
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

    /// True if the configuration file has given the key its meaning.
    func isOwn(_ stroke: KeyStroke) -> Bool { own[stroke] != nil }
}

extension KeyStroke {
    static let names: [String: KeyStroke] = [
        "space": .character(" "), "enter": .enter, "tab": .tab, "shift-tab": .shiftTab,
        "escape": .escape, "backspace": .backspace, "up": .up, "down": .down, "right": .right,
        "left": .left,
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
        "shuffle": .shuffle, "repeat": .repeatMode, "background": .background, "quit": .quit,
        "detach": .detach, "help": .help, "nothing": .unknown,
    ]

    /// The names of the actions; of those with a value, an example.
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

/// The command of a key.
enum Key: Equatable, Sendable {
    case player(PlayerCommand)
    /// Seeks by this many seconds, forward or back.
    case seek(Double)
    /// Seeks to this part of the item's length, from 0 to below 1.
    case part(Double)
    /// Changes the volume by this many percent.
    case volume(Double)
    case mute
    /// Multiplies the rate by this factor; nil resets it.
    case rate(Double?)
    case shuffle, repeatMode
    /// Declares the mode `audio`, or withdraws it.
    case background
    case quit
    /// Ends this program and lets the music play on.
    case detach
    /// Shows the keys.
    case help
    /// A key that does nothing.
    case unknown

    private static let plain: [KeyStroke: Key] = [
        .character(" "): .player(.toggle), .character("n"): .player(.next),
        .character(">"): .player(.next), .character("p"): .player(.previous),
        .character("<"): .player(.previous), .character("m"): .mute,
        .character("["): .rate(1 / 1.1), .character("]"): .rate(1.1), .character("="): .rate(nil),
        .character("s"): .shuffle, .character("r"): .repeatMode, .character("b"): .background,
        .character("q"): .quit, .character("d"): .detach, .character("?"): .help,
        .up: .volume(5), .down: .volume(-5), .right: .seek(5), .left: .seek(-5),
    ]

    /// The command of a key of `undersong play`.
    init(_ stroke: KeyStroke) {
        if let digit = stroke.digit {
            self = .part(Double(digit) / 10)
        } else {
            self = Self.plain[stroke] ?? .unknown
        }
    }
}

/// The state of the host, and what its keys do.
extension Service {
    /// Reports the host's state to the service.
    func enter(_ state: ApplicationState, _ source: String) {
        send(Attach(state: state, source: source))
    }

    /// Sends the command for a key, if the service has one, and passes what it did to `note`, if
    /// that is not to be seen in the line anyway.
    func press(_ key: Key, _ note: @escaping @Sendable (String) -> Void = { _ in }) {
        var change = SettingsChange()
        switch key {
        case .player(let command): return send(Command(command))
        case .seek(let seconds):
            return send(SeekBy(WireTime(value: Int64(seconds), timescale: 1)))
        case .part(let fraction): return send(SeekToPart(fraction))
        case .volume(let percent): change.volumeBy = percent
        case .mute: change.toggleMuted = true
        case .rate(let factor?): change.rateBy = factor
        case .rate(nil): change.rate = 1
        case .shuffle: change.toggleShuffle = true
        case .repeatMode: change.nextRepeat = true
        case .background:
            return send(DeclareMode(toggling: .audio)) { reply in
                switch reply {
                case .success(let status): note(NoteText.background(status))
                case .failure(let error): note(error.message)
                }
            }
        case .quit, .detach, .help: return
        case .unknown: return note("? shows the keys")
        }
        send(SetSettings(change)) { reply in
            if let settings = try? reply.get() { note(NoteText.text(key, settings)) }
        }
    }
}
