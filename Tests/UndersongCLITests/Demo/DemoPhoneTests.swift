import Testing
import UndersongBackground
import UndersongDemoScreen

@testable import UndersongCLI

/// The demo's phone: what keys, the app and the service change in it, and what it asks of both.
@Suite struct `The demo's phone` {
    private typealias Samples = DemoSamples

    // MARK: Home

    @Test func `The home button shows the springboard at once, and Enter opens the app again`() {
        var phone = Samples.phone()

        let home = phone.press("h")
        let isHomeAtOnce = phone.isHome
        _ = phone.commands(.status(Samples.status(.active)))
        let isHomeWithLateStatus = phone.isHome
        _ = phone.commands(.event(Self.entered(.background)))
        let open = phone.commands(.stroke(.enter))
        let isOpenAtOnce = !phone.isHome
        _ = phone.commands(.event(Self.entered(.active)))

        #expect(home == [.home])
        #expect(isHomeAtOnce && isHomeWithLateStatus)
        #expect(open == [.open])
        #expect(isOpenAtOnce && !phone.isHome)
    }

    @Test func `The phone shows what is, if something could not be done`() {
        var phone = Samples.phone()

        _ = phone.press("h")
        _ = phone.commands(.failed("cannot send the app home: It does not answer"))

        #expect(!phone.isHome)
        #expect(phone.console.lines.last?.source == .problem)
    }

    @Test func `The phone follows the state that the app is brought to by others`() {
        var phone = Samples.phone()

        _ = phone.commands(.event(Self.entered(.background)))
        let inBackground = phone.isHome
        _ = phone.commands(.event(Self.event(.suspended)))
        let suspended = phone.state
        _ = phone.commands(.event(Self.event(.woken)))
        let woken = phone.state
        _ = phone.commands(.status(Samples.status(.inactive)))

        #expect(inBackground)
        #expect(suspended == .suspended)
        #expect(woken == .background)
        #expect(!phone.isHome)
    }

    @Test func `Keys are for the tab on which the app is opened, before its screen shows that`() {
        var phone = DemoPhone(app: Samples.app, on: .location)
        _ = phone.commands(.status(Samples.status(.active)))

        let beforeScreens = phone.press(" ")
        _ = phone.commands(.message(.screen(Samples.screen(.audio))))
        let onFirstScreen = phone.press(" ")
        _ = phone.commands(.message(.screen(Samples.screen(.location))))
        _ = phone.commands(.message(.screen(Samples.screen(.audio))))
        let later = phone.press(" ")
        let both = phone.press("3") + phone.press(" ")

        #expect(beforeScreens == [.touch(.locationSwitch)])
        #expect(onFirstScreen == [.touch(.locationSwitch)])
        #expect(later == [.touch(.playPause)])
        #expect(both == [.touch(.tab(.whatever)), .touch(.calculation)])
    }

    @Test func `An app that has ended is launched into a new screen, and its snapshot remains`() {
        var phone = Samples.phone(.whatever)

        _ = phone.commands(.event(Self.event(.ended)))
        let snapshot = phone.lines().joined()
        _ = phone.commands(.stroke(.enter))
        let launching = phone.lines().joined()
        _ = phone.commands(.message(.screen(Samples.screen(.whatever))))

        #expect(phone.state == .notRunning)
        #expect(snapshot.contains("NOT RUNNING") && snapshot.contains("Position 100"))
        #expect(launching.contains("Launching") && !launching.contains("Position 100"))
        #expect(phone.lines().joined().contains("Position 100"))
    }

    @Test func `The phone asks the service about its app after each event, and ignores other apps`()
    {
        var phone = Samples.phone()

        let own = phone.commands(.event(Self.event(.suspended)))
        let other = phone.commands(.event(.app(AppEvent(.suspended, "net.example.other"))))
        let refresh = phone.commands(
            .event(.refresh(RefreshEvent(phase: .ended, identifier: "net.undersong.demo.refresh"))))

        #expect(own == [.look(.app), .look(.refresh)])
        #expect(other == [])
        #expect(refresh == [.look(.app), .look(.refresh)])
    }

    // MARK: Keys

    @Test(arguments: [
        (DemoTab.audio, KeyStroke.character(" "), DemoTouch.playPause),
        (.audio, .right, .seek(10)), (.audio, .left, .seek(-10)), (.audio, .enter, .song(0)),
        (.audio, .character("4"), .tab(.fetch)), (.audio, .tab, .tab(.location)),
        (.fetch, .tab, .tab(.audio)), (.location, .character(" "), .locationSwitch),
        (.location, .right, .accuracy(2)), (.location, .left, .accuracy(0)),
        (.location, .character("f"), .filter(100)), (.whatever, .character(" "), .calculation),
        (.fetch, .character("u"), .update),
    ])
    func `A key touches the tab that is shown`(tab: DemoTab, stroke: KeyStroke, touch: DemoTouch) {
        var phone = Samples.phone(tab)

        #expect(phone.commands(.stroke(stroke)) == [.touch(touch)])
    }

    @Test func `Nothing touches an app that is not in front`() {
        var phone = Samples.phone(state: .suspended)

        let commands = ["1", "2", " ", "u", "h"].map { phone.press($0) }

        #expect(commands.allSatisfy { $0.isEmpty })
    }

    @Test func `The arrows move through the songs, and Enter plays the one at the cursor`() {
        var phone = Samples.phone()

        for _ in 0..<5 { _ = phone.commands(.stroke(.down)) }
        let last = phone.commands(.stroke(.enter))
        _ = phone.commands(.stroke(.up))
        let previous = phone.commands(.stroke(.enter))

        #expect(last == [.touch(.song(2))])
        #expect(previous == [.touch(.song(1))])
    }

    @Test func `The system's keys work on the springboard`() {
        var phone = Samples.phone(state: .background)

        #expect(phone.press("s") == [.simulate])
        #expect(phone.press("x") == [.expire])
        #expect(phone.press("k") == [.kill])
        #expect(phone.press("q") == [.leave])
        #expect(phone.commands(.stroke(.control("l"))) == [.repaint])
    }

    @Test func `The capabilities are check boxes that a space toggles`() {
        var phone = Samples.phone()

        _ = phone.press("c")
        let withdraw = phone.press(" ")
        _ = phone.commands(.stroke(.down))
        let declare = phone.press(" ")
        _ = phone.commands(.capabilities([.audio, .location]))
        let lines = phone.lines()
        let close = phone.press("q")

        #expect(withdraw == [.declare(.audio, isOn: false)])
        #expect(declare == [.declare(.location, isOn: true)])
        #expect(lines.contains { $0.contains("[✓] Location updates") })
        #expect(lines.contains { $0.contains("[ ] Background fetch") })
        #expect(close == [] && phone.panel == nil)
    }

    @Test func `The menu chooses a route, or none`() {
        var phone = Samples.phone(.location)

        _ = phone.press("r")
        _ = phone.commands(.stroke(.down))
        let run = phone.commands(.stroke(.enter))
        _ = phone.commands(.routes(["Drive", "Run", "Ride"], chosen: 1))
        let name = phone.routeName
        _ = phone.press("r")
        for _ in 0..<9 { _ = phone.commands(.stroke(.down)) }
        let none = phone.commands(.stroke(.enter))

        #expect(run == [.route(1)])
        #expect(name == "Run")
        #expect(none == [.route(nil)])
        #expect(phone.panel == nil)
    }

    // MARK: The mouse

    @Test func `A click does what is written at its cell`() throws {
        var phone = Samples.phone(columns: 120, rows: 40)

        let tab = try Self.click("3 Whatever", &phone)
        let song = try Self.click("Third Song", &phone)
        let home = try Self.click("h home", &phone)
        _ = phone.commands(.event(Self.entered(.background)))
        let card = try Self.click("Background Modes", &phone)

        #expect(tab == [.touch(.tab(.whatever))])
        #expect(song == [.touch(.song(2))])
        #expect(home == [.home])
        #expect(card == [.open])
    }

    @Test func `A click outside everything does nothing`() {
        var phone = Samples.phone()

        #expect(phone.commands(.stroke(.mouse(Mouse(.press, column: 500, row: 2)))) == [])
        #expect(phone.commands(.stroke(.mouse(Mouse(.release, column: 2, row: 1)))) == [])
    }

    // MARK: The console

    @Test func `The console keeps the lines to which the user has scrolled back`() {
        var phone = Samples.phone()
        for number in 1...30 { _ = phone.commands(.message(.console("line \(number)", .fetch))) }

        let newest = phone.lines()[22]
        _ = phone.commands(.stroke(.pageUp))
        let earlier = phone.lines()[22]
        _ = phone.commands(.message(.console("line 31", .fetch)))
        let kept = phone.lines()[22]
        _ = phone.commands(.stroke(.mouse(Mouse(.wheelDown, column: 0, row: 20))))
        let down = phone.lines()[22]
        for _ in 0..<9 { _ = phone.commands(.stroke(.pageUp)) }
        let first = phone.lines()[16]
        for _ in 0..<9 { _ = phone.commands(.stroke(.pageDown)) }

        #expect(newest.hasPrefix("line 30 "))
        #expect(earlier.hasPrefix("line 24 "))
        #expect(kept.hasPrefix("line 24 "))
        #expect(down.hasPrefix("line 27 "))
        #expect(first.hasPrefix("line 1 "))
        #expect(phone.lines()[22].hasPrefix("line 31 "))
    }

    @Test func `The console forgets its oldest lines, and what would move the cursor`() {
        var console = DemoConsole()

        for number in 0...DemoConsole.limit { console.add("\(number)\u{1B}[2J\n", from: .phone) }

        #expect(console.lines.count == DemoConsole.limit)
        #expect(console.lines.first?.text.hasPrefix("1") == true)
        #expect(console.lines.allSatisfy { !$0.text.contains("\u{1B}") })
    }

    @Test func `A line of the console has the colour of its tab`() {
        let styles = DemoTab.allCases.map { DemoText.style(.app($0)) }

        #expect(Set(styles.map(\.foreground)).count == styles.count)
    }

    // MARK: The time in the background

    @Test func `The remaining time counts down from the status, and not in the foreground`() {
        var phone = Samples.phone(state: .background)

        _ = phone.commands(.status(Samples.status(.background, timeRemaining: 30)), at: 5)
        let later = phone.timeRemaining(at: Samples.time(12))
        let over = phone.timeRemaining(at: Samples.time(60))
        let budget = phone.budget
        _ = phone.commands(.status(Samples.status(.background, timeRemaining: 20)), at: 15)
        let budgetLater = phone.budget
        _ = phone.commands(.event(Self.entered(.active)), at: 16)

        #expect(later == 23)
        #expect(over == 0)
        #expect(budget == 30 && budgetLater == 30)
        #expect(phone.timeRemaining(at: Samples.time(17)) == nil)
        #expect(phone.budget == nil)
    }

    // MARK: The cover

    @Test func `The cover is loaded once, and shown only on the tab of the app`() throws {
        var phone = Samples.phone()
        let style = PictureStyle(way: .kitty, cell: PictureStyle.Cell(width: 8, height: 16))
        var screen = Samples.screen(.audio)
        screen.audio.cover = "/tmp/a cover.png"

        let without = phone.commands(.message(.screen(screen)))
        let commands = phone.commands(.pictures(style))
        let again = phone.commands(.message(.screen(screen)))
        let request = try #require(
            commands.compactMap { if case .loadCover(let request) = $0 { request } else { nil } }
                .first)
        let cover = Cover(request: request, text: "PICTURE", columns: 10, rows: 4)
        _ = phone.commands(.cover(cover))
        let shown = phone.frame(at: Samples.time(2)).picture
        _ = phone.press("c")
        let behindPanel = phone.frame(at: Samples.time(2)).picture

        #expect(without == [] && again == [])
        #expect(request.url == "file:///tmp/a%20cover.png")
        #expect(shown?.text == "PICTURE")
        #expect(behindPanel == nil)
    }

    // MARK: -

    private static func event(_ phase: AppEvent.Phase) -> PlayerEvent.Kind {
        .app(AppEvent(phase, Samples.app))
    }

    private static func entered(_ state: AppState) -> PlayerEvent.Kind {
        var event = AppEvent(.entered, Samples.app)
        event.state = state
        return .app(event)
    }

    /// Clicks at the first cell of a text.
    private static func click(_ text: String, _ phone: inout DemoPhone) throws
        -> [DemoPhone.Command]
    {
        let lines = phone.lines()
        let row = try #require(lines.firstIndex { $0.contains(text) })
        let range = try #require(lines[row].firstRange(of: text))
        let column = lines[row].distance(from: lines[row].startIndex, to: range.lowerBound)
        return phone.commands(.stroke(.mouse(Mouse(.press, column: column, row: row))))
    }
}
