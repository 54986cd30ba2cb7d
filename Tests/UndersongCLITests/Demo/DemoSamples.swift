import UndersongBackground
import UndersongDemoScreen

@testable import UndersongCLI

/// Samples for the tests of the demo's phone.
enum DemoSamples {
    static let app = "net.undersong.demo"
    static let songs = ["First Song", "Second Song", "Third Song"]

    /// A moment, in seconds after 2027-01-15 08:00 UTC, in a time zone one hour ahead.
    static func time(_ seconds: Double) -> ScheduleTime {
        ScheduleTime(boot: 1000 + seconds, wall: 1_800_000_000 + seconds, utcOffset: 3600)
    }

    static func status(_ state: AppState, timeRemaining: Double? = nil) -> AppStatus {
        let app = App(
            identifier: app, name: "Background Modes", command: ["/usr/bin/app"], folder: "/")
        var status = AppStatus(app, state: state)
        status.process = 4242
        status.timeRemaining = timeRemaining
        return status
    }

    /// The app's screen with something on each tab.
    static func screen(_ tab: DemoTab) -> DemoScreen {
        var screen = DemoScreen()
        screen.tab = tab
        screen.audio.songs = songs
        screen.audio.current = 1
        screen.audio.isPlaying = true
        screen.audio.seconds = 41.37
        screen.audio.duration = 245
        screen.audio.artist = "Kevin MacLeod"
        screen.audio.level = 0.5
        screen.location.isOn = true
        screen.location.accuracies = ["Navigation", "Best", "10 m", "100 m", "1 km", "3 km"]
        screen.location.accuracy = 1
        screen.location.filter = 50
        screen.location.pins = pins
        screen.whatever.state = .calculating
        screen.whatever.number = "354224848179261915075"
        screen.whatever.position = 100
        screen.fetch.lastRefresh = 1_800_000_000 - 400
        screen.fetch.reports = ["I-280: stop and go", "US-101: clear"]
        screen.badges = ["fetch": 2]
        return screen
    }

    /// A way to the north-east, whose last half was in the background.
    static let pins = (0..<40).map { index in
        DemoScreen.Pin(
            latitude: 37.33 + 0.001 * Double(index), longitude: -122.03 + 0.001 * Double(index),
            accuracy: 5, speed: 33.4, course: 45, isFromBackground: index >= 20)
    }

    /// A phone on which the app is in a state, and shows a tab.
    static func phone(
        _ tab: DemoTab = .audio, state: AppState = .active, columns: Int = 80, rows: Int = 24
    ) -> DemoPhone {
        var phone = DemoPhone(app: app)
        let inputs: [DemoPhone.Input] = [
            .size(columns: columns, rows: rows), .status(status(state)),
            .message(.screen(screen(tab))), .routes(["Drive", "Run", "Ride"], chosen: nil),
            .capabilities([.audio]),
        ]
        for input in inputs { _ = phone.handle(input, at: time(0)) }
        return phone
    }
}

extension DemoPhone {
    /// Handles an input at a second. Returns what is to be done beside drawing.
    mutating func commands(_ input: Input, at seconds: Double = 1) -> [Command] {
        handle(input, at: DemoSamples.time(seconds)).filter { !$0.isDrawing }
    }

    /// Presses a key. Returns what is to be done beside drawing.
    mutating func press(_ character: Character) -> [Command] {
        commands(.stroke(.character(character)))
    }

    /// The rows of the frame at a second, as text.
    func lines(at seconds: Double = 1) -> [String] {
        let canvas = frame(at: DemoSamples.time(seconds)).canvas
        return (0..<canvas.rows).map { canvas.text(row: $0) }
    }
}

extension DemoPhone.Command {
    /// True for what only concerns when to draw.
    fileprivate var isDrawing: Bool {
        switch self {
        case .draw, .wait: true
        default: false
        }
    }
}
