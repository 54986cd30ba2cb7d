import UndersongCommandOptions
import UndersongDemoScreen

/// The keys of `undersong demo`.
enum DemoKeys {
    /// Something that a key or a click does.
    enum Action: Equatable {
        case touch(DemoTouch)
        case home, open, kill
        case show(DemoPhone.Panel)
        /// Closes the panel.
        case close
        /// Moves the cursor by this many rows.
        case move(Int)
        /// Chooses the row at the cursor of the panel, or this one.
        case choose(Int?)
        case simulate, expire
        /// Scrolls the console by this many rows or screens.
        case scroll(Int)
        case page(Int)
        case repaint, leave
    }

    /// The distance filters, in metres.
    private static let filters: [Double?] = [nil, 10, 50, 100, 500]

    /// A key that is shown at the bottom of the screen.
    struct Hint: Equatable {
        var key: String
        var meaning: String
        var action: Action

        var columns: Int { Columns.width(of: key) + 1 + Columns.width(of: meaning) }
    }

    /// The action of a key; nil for none.
    static func action(for stroke: KeyStroke, _ phone: DemoPhone) -> Action? {
        switch stroke {
        case .pageUp: .page(-1)
        case .pageDown: .page(1)
        case .control("l"): .repaint
        default:
            if let panel = phone.panel {
                action(for: stroke, in: panel)
            } else if phone.isHome {
                homeActions[stroke] ?? commonActions[stroke]
            } else {
                action(for: stroke, on: phone) ?? commonActions[stroke]
            }
        }
    }

    private static let commonActions: [KeyStroke: Action] = [
        .character("c"): .show(.capabilities), .character("k"): .kill,
        .character("?"): .show(.help),
        .character("q"): .leave,
    ]
    private static let homeActions: [KeyStroke: Action] = [
        .enter: .open, .character("s"): .simulate, .character("x"): .expire,
        .character("r"): .show(.routes),
    ]

    private static func action(for stroke: KeyStroke, in panel: DemoPhone.Panel) -> Action? {
        switch stroke {
        case .escape, .character("q"): .close
        case .up: .move(-1)
        case .down: .move(1)
        case .enter, .character(" "): panel == .help ? .close : .choose(nil)
        case .character("c"): panel == .capabilities ? .close : nil
        case .character("r"): panel == .routes ? .close : nil
        case .character("?"): panel == .help ? .close : nil
        default: nil
        }
    }

    private static func action(for stroke: KeyStroke, on phone: DemoPhone) -> Action? {
        let tabs = DemoTab.allCases
        switch stroke {
        case .character("h"): return .home
        case .tab:
            let index = tabs.firstIndex(of: phone.tab).map { ($0 + 1) % tabs.count } ?? 0
            return .touch(.tab(tabs[index]))
        case .character(let character):
            if let number = character.wholeNumberValue, 1...tabs.count ~= number {
                return .touch(.tab(tabs[number - 1]))
            }
        default: break
        }
        switch phone.tab {
        case .audio: return audio(stroke, phone)
        case .location: return location(stroke, phone)
        case .whatever:
            return [.character(" "), .enter].contains(stroke) ? .touch(.calculation) : nil
        case .fetch: return fetch(stroke)
        }
    }

    private static func audio(_ stroke: KeyStroke, _ phone: DemoPhone) -> Action? {
        switch stroke {
        case .character(" "): .touch(.playPause)
        case .enter: phone.screen?.audio.songs.isEmpty == false ? .touch(.song(phone.song)) : nil
        case .up: .move(-1)
        case .down: .move(1)
        case .left: .touch(.seek(-10))
        case .right: .touch(.seek(10))
        default: nil
        }
    }

    private static func location(_ stroke: KeyStroke, _ phone: DemoPhone) -> Action? {
        let location = phone.screen?.location ?? DemoScreen.Location()
        switch stroke {
        case .character(" "), .enter: return .touch(.locationSwitch)
        case .left where location.accuracy > 0: return .touch(.accuracy(location.accuracy - 1))
        case .right where location.accuracy + 1 < location.accuracies.count:
            return .touch(.accuracy(location.accuracy + 1))
        case .character("f"):
            return .touch(.filter(filter(after: location.filter)))
        case .character("r"): return .show(.routes)
        default: return nil
        }
    }

    /// The next distance filter, in metres; after the last one, and after any other, none.
    static func filter(after filter: Double?) -> Double? {
        let index = filters.firstIndex(of: filter) ?? filters.count - 1
        return filters[(index + 1) % filters.count]
    }

    private static func fetch(_ stroke: KeyStroke) -> Action? {
        switch stroke {
        case .character(" "), .enter, .character("u"): .touch(.update)
        case .character("s"): .simulate
        case .character("x"): .expire
        default: nil
        }
    }

    // MARK: Hints

    /// The keys that are shown last, without a panel.
    static let ends = [
        Hint(key: "?", meaning: "help", action: .show(.help)),
        Hint(key: "q", meaning: "quit", action: .leave),
    ]

    /// The other keys for what is shown, the most important first.
    static func hints(_ phone: DemoPhone) -> [Hint] {
        if let panel = phone.panel { return hints(in: panel) }
        let both = [
            Hint(key: "c", meaning: "capabilities", action: .show(.capabilities)),
            Hint(key: "k", meaning: "kill", action: .kill),
        ]
        guard !phone.isHome else {
            return [
                Hint(key: "Enter", meaning: "open", action: .open),
                Hint(key: "s", meaning: "simulate fetch", action: .simulate),
                Hint(key: "x", meaning: "expire", action: .expire),
                Hint(key: "r", meaning: "routes", action: .show(.routes)),
            ] + both
        }
        let home = Hint(key: "h", meaning: "home", action: .home)
        let own = hints(on: phone)
        return own.prefix(1) + [home] + both + own.dropFirst()
    }

    private static func hints(in panel: DemoPhone.Panel) -> [Hint] {
        let close = Hint(key: "Esc", meaning: "close", action: .close)
        return switch panel {
        case .capabilities: [Hint(key: "Space", meaning: "toggle", action: .choose(nil)), close]
        case .routes: [Hint(key: "Enter", meaning: "choose", action: .choose(nil)), close]
        case .help: [Hint(key: "\u{2191} \u{2193}", meaning: "scroll", action: .move(1)), close]
        }
    }

    private static func hints(on phone: DemoPhone) -> [Hint] {
        switch phone.tab {
        case .audio:
            return [
                Hint(key: "Space", meaning: "play, pause", action: .touch(.playPause)),
                Hint(key: "Enter", meaning: "play song", action: .touch(.song(phone.song))),
                Hint(key: "\u{2190} \u{2192}", meaning: "seek", action: .touch(.seek(10))),
            ]
        case .location:
            var hints = [Hint(key: "Space", meaning: "on, off", action: .touch(.locationSwitch))]
            if let filter = location(.character("f"), phone) {
                hints.append(Hint(key: "f", meaning: "filter", action: filter))
            }
            return hints + [Hint(key: "r", meaning: "routes", action: .show(.routes))]
        case .whatever:
            return [Hint(key: "Space", meaning: "start, stop", action: .touch(.calculation))]
        case .fetch:
            return [
                Hint(key: "u", meaning: "update", action: .touch(.update)),
                Hint(key: "s", meaning: "simulate", action: .simulate),
                Hint(key: "x", meaning: "expire", action: .expire),
            ]
        }
    }

    /// The keys of everything, for `?`.
    static let help = [
        KeyText.Entry(keys: "1 2 3 4 Tab", meaning: "tabs of the app"),
        KeyText.Entry(keys: "h", meaning: "home button"),
        KeyText.Entry(keys: "Enter", meaning: "open the app from the home screen"),
        KeyText.Entry(keys: "c", meaning: "capabilities of the app"),
        KeyText.Entry(keys: "k", meaning: "end the app, as the system may"),
        KeyText.Entry(keys: "PgUp PgDn", meaning: "scroll the console"),
        KeyText.Entry(keys: "Space", meaning: "Audio: play, pause; Location: on, off"),
        KeyText.Entry(keys: "", meaning: "Whatever: start, stop; Fetch: update"),
        KeyText.Entry(keys: "\u{2191} \u{2193} Enter", meaning: "Audio: choose and play a song"),
        KeyText.Entry(keys: "\u{2190} \u{2192}", meaning: "Audio: seek; Location: accuracy"),
        KeyText.Entry(keys: "f r", meaning: "Location: distance filter, routes"),
        KeyText.Entry(keys: "s x", meaning: "Fetch: simulate one, expire it"),
        KeyText.Entry(keys: "Ctrl-L", meaning: "draw everything again"),
        KeyText.Entry(keys: "q", meaning: "leave, and end the app"),
    ]
}
