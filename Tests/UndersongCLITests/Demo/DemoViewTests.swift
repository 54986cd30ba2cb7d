import Testing
import UndersongBackground
import UndersongCommandOptions
import UndersongDemoScreen

@testable import UndersongCLI

/// The views of the demo's phone as text.
@Suite struct `The demo's views` {
    private typealias Samples = DemoSamples

    /// The sizes for which the views are made.
    static let sizes = [(80, 24), (120, 40), (200, 50)]

    @Test func `The audio tab has the songs, a large clock, the progress and the level`() {
        let lines = Samples.phone(.audio).lines().prefix(16).map(Self.trimmed)

        let expected = """
             ACTIVE  process 4242                                                      09:00
             1 Audio   2 Location   3 Whatever   4 Fetch  2

              First Song                      Second Song
            ▶ Second Song                     Kevin MacLeod
              Third Song
                                              █▀█ ▄ █▀█ █▀█ ▄ █ █ ▄█    ▀▀█ ▀▀█
                                              █ █   █ █ █ █   █▄█  █     ▀█  ▄▀
                                              █▄█ ▀ █▄█ █▄█ ▀   █ ▄█▄ ▄ ▄▄█  █

                                              ██████▉────────────────────────────────── 4:05
                                              Level ▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮····················



            ── Console ─────────────────────────────────────────────────────────────────────
            """
        #expect(
            lines
                == expected.split(separator: "\n", omittingEmptySubsequences: false).map(
                    String.init))
    }

    @Test(arguments: sizes)
    func `The location tab has the map, the controls and the newest pin`(columns: Int, rows: Int) {
        let text = Self.text(.location, columns, rows)

        let expected = [
            "[✓] Location updates", "Navigation │ Best", "Filter 50 m", "Route none",
            "37.36900, -121.99100", "within 5 m", "33.4 m/s (120 km/h)", "course 45°",
            "40 pins, 20 in background", "●", "○", "↗", "┤",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains(/3 km +│/))
    }

    @Test(arguments: sizes)
    func `The whatever tab has the number, its position and a ring`(columns: Int, rows: Int) {
        let text = Self.text(.whatever, columns, rows)

        let expected = [
            "Position 100", "354 224 848 179 261 915 075", "Calculating", "no limit", "⣿",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
    }

    @Test(arguments: sizes)
    func `The fetch tab has the last refresh, what is due and why, and what was learned`(
        columns: Int, rows: Int
    ) {
        var phone = Samples.phone(.fetch, columns: columns, rows: rows)
        let before = phone.lines().joined(separator: "\n")
        var hours = LearnedHours()
        hours.opens[16] = 1
        _ = phone.commands(.learned(hours))
        _ = phone.commands(.refresh(Self.refresh))
        let text = phone.lines().joined(separator: "\n")

        #expect(before.contains("nothing is requested") && !before.contains("█"))
        let expected = [
            "08:53:20 (6 min ago)", "09:30, in 29 min", "net.undersong.demo.refresh (refresh)",
            "there is a better time", "█", "Reports (2)", "• I-280: stop and go",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
    }

    @Test func `A refresh that has never been says so, and one that continues turns a sign`() {
        var phone = Samples.phone(.fetch)
        var screen = Samples.screen(.fetch)
        screen.fetch.lastRefresh = nil
        screen.fetch.reports = []
        _ = phone.commands(.message(.screen(screen)))
        let never = phone.lines().joined()
        screen.fetch.isUpdating = true
        _ = phone.commands(.message(.screen(screen)))
        let signs = (0..<8).map { phone.lines(at: 2 + Double($0) / 10)[3] }

        #expect(never.contains("Not yet updated") && never.contains("No reports"))
        #expect(signs.allSatisfy { $0.contains("updating") })
        #expect(Set(signs).count == 4)
    }

    @Test(arguments: sizes)
    func `The springboard has the snapshot, its badge, and what remains`(columns: Int, rows: Int) {
        var phone = Samples.phone(.whatever, state: .background, columns: columns, rows: rows)
        var status = Samples.status(.background, timeRemaining: 30)
        status.running = ["fibonacci", status.app.identifier + ".refresh"]
        status.badge = 3
        _ = phone.commands(.status(status), at: 1)
        let text = phone.lines(at: 10).joined(separator: "\n")

        let expected = [
            "BACKGROUND", "Background Modes", " 3 ─╮", "Position 100", "21 s", "left",
            "for fibonacci, refresh", "Enter open",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
    }

    @Test func `The bar has every state, also one without a name here`() {
        for state in AppState.allCases {
            let bar = Samples.phone(state: state).lines()[0]
            #expect(bar.contains(" \(DemoText.state(state)) "))
        }
        var status = Samples.status(.active)
        status.state = .unknown("dreaming")

        #expect(DemoText.state(status) == "DREAMING")
        #expect(Set(AppState.allCases.map { DemoText.style($0).foreground }).count == 5)
    }

    // MARK: Bad input

    @Test(arguments: [
        (0, 0), (1, 1), (2, 3), (5, 2), (9, 6), (20, 1), (20, 5), (20, 8), (20, 24), (40, 10),
        (59, 12), (60, 9), (80, 7), (200, 4),
    ])
    func `Every view is right in any size`(columns: Int, rows: Int) {
        for tab in DemoTab.allCases {
            for state in [AppState.active, .background] {
                var phone = Samples.phone(tab, state: state, columns: columns, rows: rows)
                for panel: Character? in [nil, "c", "r", "?"] {
                    if let panel { _ = phone.press(panel) }
                    let lines = phone.lines()
                    #expect(lines.count == rows)
                    #expect(lines.allSatisfy { Columns.width(of: $0) == columns })
                    _ = phone.commands(.stroke(.escape))
                }
            }
        }
    }

    @Test func `In 20 columns the most important is shown`() {
        let parts: [(DemoTab, [String])] = [
            (.audio, ["ACTIVE", "Second Song", "0:00:41.37", "▶ Second Song"]),
            (.location, ["[✓] Location updates", "Filter 50 m", "●", "↗"]),
            (.whatever, ["Position 100", "354 224 848 179", "261 915 075", "Calculating"]),
            (.fetch, ["08:53:20 (6 min ago)", "• I-280: stop and go"]),
        ]
        for (tab, expected) in parts {
            let text = Self.text(tab, 20, 24)
            for part in expected { #expect(text.contains(part), "\(part)") }
        }
    }

    @Test func `Every view has a likeness in ASCII`() {
        for tab in DemoTab.allCases {
            for state in [AppState.active, .background] {
                let lines = Samples.phone(tab, state: state).lines().map(PlainCharacters.only)
                // The last row has the key "?".
                #expect(lines.dropLast().joined().allSatisfy { $0.isASCII && $0 != "?" })
                #expect(lines.allSatisfy { $0.count == 80 })
            }
        }
        let rows = Samples.phone(.location).lines()[3..<15].map(PlainCharacters.only)
        let map = rows.map { $0.prefix(50) }.joined()

        #expect(rows[0].contains("[*] Location updates"))
        #expect(map.contains("*") && map.contains("o") && map.contains("/"))
    }

    @Test func `What the app says cannot move the terminal's cursor`() {
        var screen = Samples.screen(.audio)
        screen.audio.songs = ["\u{1B}[2Jevil\n"]
        screen.audio.current = 0
        screen.audio.artist = "\u{7}bell"
        screen.location.problem = "\u{1B}[31m"
        screen.location.pins = []
        screen.whatever.number = "1\u{8}2"
        screen.fetch.reports = ["\u{9B}2J"]
        for tab in DemoTab.allCases {
            screen.tab = tab
            var phone = Samples.phone(tab)
            _ = phone.commands(.message(.screen(screen)))
            let scalars = phone.lines().joined().unicodeScalars
            #expect(scalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }

    @Test func `Values that are no numbers are drawn as unknown`() {
        var screen = Samples.screen(.location)
        screen.location.filter = .nan
        screen.location.pins = [
            DemoScreen.Pin(
                latitude: 1, longitude: 1, accuracy: .infinity, speed: .nan, course: .nan)
        ]
        screen.audio.seconds = .nan
        screen.audio.level = .infinity
        screen.whatever.timeRemaining = .infinity
        screen.fetch.lastRefresh = -.infinity
        for tab in DemoTab.allCases {
            screen.tab = tab
            var phone = Samples.phone(tab)
            _ = phone.commands(.message(.screen(screen)))
            #expect(phone.lines().allSatisfy { Columns.width(of: $0) == 80 })
        }
    }

    // MARK: -

    private static func text(_ tab: DemoTab, _ columns: Int, _ rows: Int) -> String {
        Samples.phone(tab, columns: columns, rows: rows).lines().joined(separator: "\n")
    }

    private static func trimmed(_ line: String) -> String {
        var line = Substring(line)
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    /// The status of a service in which the app waits for a refresh.
    private static var refresh: RefreshStatus {
        let scheduler = RefreshScheduler(seed: 1)
        var status = RefreshStatus(scheduler, at: Samples.time(0), limit: 0, fallbacks: [])
        var forecast = RefreshForecast(
            identifier: "net.undersong.demo.refresh", kind: .refresh, due: 1_800_000_000 + 1800,
            obstacles: [
                RefreshForecast.Obstacle(
                    reason: .known(.betterTime), text: "there is a better time")
            ])
        forecast.app = Samples.app
        status.apps = [forecast]
        return status
    }
}
