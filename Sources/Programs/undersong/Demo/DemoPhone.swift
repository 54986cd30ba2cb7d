import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongDemoScreen

/// The phone of `undersong demo` as a value: what it shows, what the app's messages, the service's
/// events and the user's keys change in it, and what it asks of both.
struct DemoPhone: Sendable {
    /// Something that the phone is given.
    enum Input: Sendable {
        case size(columns: Int, rows: Int)
        /// A message of the app.
        case message(DemoMessage)
        /// An event of the service.
        case event(PlayerEvent.Kind)
        /// The replies of the service to `Command.look`.
        case status(AppStatus)
        case refresh(RefreshStatus)
        case learned(LearnedHours)
        /// The background modes that the app declares.
        case capabilities(Set<BackgroundMode>)
        /// The names of the routes that can be replayed, and the index of the one that is.
        case routes([String], chosen: Int?)
        /// A key, or a report of the mouse.
        case stroke(KeyStroke)
        /// The way in which the terminal shows pictures; nil if it does not.
        case pictures(PictureStyle?)
        /// The cover was loaded; nil if it cannot be shown.
        case cover(Cover?)
        /// The time of `Command.wait` has passed.
        case timePassed
        /// A line for the console.
        case line(String)
        /// Something could not be done, for this reason.
        case failed(String)
    }

    /// Something that the phone asks for.
    enum Command: Equatable, Sendable {
        case touch(DemoTouch)
        /// Open the app, send it to the background, or end it as the system may.
        case open, home, kill
        /// Declare a background mode for the app, or withdraw it.
        case declare(BackgroundMode, isOn: Bool)
        /// Simulate a background fetch of the app.
        case simulate
        /// End the time of what the app does in the background.
        case expire
        /// Replay the route with this index; end the replay for nil.
        case route(Int?)
        /// Ask the service for something, which becomes an input.
        case look(Subject)
        case loadCover(Cover.Request)
        /// Draw the frame of this moment.
        case draw
        /// Draw everything again.
        case repaint
        /// Give `timePassed` after this many seconds, in place of any earlier one.
        case wait(Double)
        case leave
    }

    /// Something that the service knows.
    enum Subject: Equatable, Sendable {
        /// The app's state and time.
        case app
        /// The background tasks that are due, and the learned habits of the user.
        case refresh
    }

    /// Something over the screen.
    enum Panel: Equatable {
        case capabilities, routes, help
    }

    /// The time between two frames while something moves by itself, in seconds.
    static let motionTime = 0.1
    /// The rows by which a step of the wheel scrolls the console.
    private static let wheelRows = 3
    /// The modes that can be toggled: those that have an effect.
    static let modes: [BackgroundMode] = [
        .audio, .location, .fetch, .processing, .remoteNotification,
    ]

    /// The app's identifier.
    let app: String
    private(set) var columns = 0
    private(set) var rows = 0
    /// The last screen of the app.
    private(set) var screen: DemoScreen?
    /// True if that is of the process that runs.
    private(set) var isScreenLive = false
    /// The tab on which the app is opened, or which was touched, until its screen shows it.
    private var nextTab: DemoTab?
    private(set) var status: AppStatus?
    private(set) var refresh: RefreshStatus?
    private(set) var learned: LearnedHours?
    private(set) var capabilities: Set<BackgroundMode> = []
    private(set) var routes: [String] = []
    private(set) var route: Int?
    private(set) var panel: Panel?
    private(set) var console = DemoConsole()
    private(set) var covers = CoverPlace()
    /// The row of the cursor in the panel.
    private(set) var cursor = 0
    /// The row of the cursor in the list of songs.
    private(set) var song = 0
    /// The moment of the last status, from which its remaining time counts.
    private var statusTime: ScheduleTime?
    /// The most seconds that the app has had since it is in the background; nil in the foreground.
    private(set) var budget: Double?
    /// The view that the user has asked for, until the app is in that state: true for the springboard.
    private var wish: Bool?
    private var pacing = DemoPacing()

    /// The app's badge on the springboard; 0 for none.
    var badge: Int { status?.badge ?? 0 }

    /// Creates a phone whose app is opened on `tab`; nil for its own choice.
    init(app: String, on tab: DemoTab? = nil) { (self.app, nextTab) = (app, tab) }

    // MARK: Inputs

    /// Handles an input. Returns what is to be done, in this order.
    mutating func handle(_ input: Input, at now: ScheduleTime) -> [Command] {
        var commands: [Command] = []
        var hasChanged = true
        switch input {
        case .size(let columns, let rows):
            (self.columns, self.rows) = (columns, rows)
            commands = [.repaint]
        case .message(.screen(let screen)):
            hasChanged = self.screen != screen
            self.screen = screen
            isScreenLive = true
            if screen.tab == nextTab { nextTab = nil }
            extendBudget(to: screen.whatever.timeRemaining)
        case .message(.console(let text, let tab)): console.add(text, from: .app(tab))
        case .event(let event): commands = apply(event, &hasChanged)
        case .status(let status):
            self.status = status
            statusTime = now
            if !isAway { budget = nil }
            extendBudget(to: status.timeRemaining)
            endWish()
        case .refresh(let refresh): self.refresh = refresh
        case .learned(let learned): self.learned = learned
        case .capabilities(let modes): capabilities = modes
        case .routes(let routes, let chosen): (self.routes, route) = (routes, chosen)
        case .stroke(.mouse(let mouse)): commands = handle(mouse, at: now)
        case .stroke(let stroke):
            commands = DemoKeys.action(for: stroke, self).map { act($0) } ?? []
        case .pictures(let style): covers.style = style
        case .cover(let cover): covers.store(cover)
        case .timePassed: pacing.endWait()
        case .line(let text): console.add(text, from: .phone)
        case .failed(let reason):
            wish = nil
            console.add(reason, from: .problem)
        }
        guard columns > 0, rows > 0 else { return commands }
        commands += coverRequest()
        return commands
            + pacing.commands(hasChanged: hasChanged, next: nextChange(at: now), at: now.boot)
    }

    private mutating func handle(_ mouse: Mouse, at now: ScheduleTime) -> [Command] {
        switch mouse.action {
        case .press:
            let target = frame(at: now).targets.last {
                $0.area.contains(column: mouse.column, row: mouse.row)
            }
            return target.map { act($0.action) } ?? []
        case .wheelUp: return act(.scroll(-Self.wheelRows))
        case .wheelDown: return act(.scroll(Self.wheelRows))
        case .release, .other: return []
        }
    }

    /// Finds the room for the cover. Returns the request for one that is not loaded.
    private mutating func coverRequest() -> [Command] {
        let area = coverArea
        covers.room = area.map { ($0.columns, $0.rows) }
        covers.url = screen?.audio.cover.map { FilePath($0).fileURL }
        return covers.request().map { [.loadCover($0)] } ?? []
    }

    private mutating func apply(_ event: PlayerEvent.Kind, _ hasChanged: inout Bool) -> [Command] {
        switch event {
        case .app(let event) where event.app == app:
            apply(event)
            return [.look(.app), .look(.refresh)]
        case .refresh, .processing: return [.look(.app), .look(.refresh)]
        case .badge: return [.look(.app)]
        default:
            hasChanged = false
            return []
        }
    }

    private mutating func apply(_ event: AppEvent) {
        if let text = DemoText.line(event) { console.add(text, from: .phone) }
        guard case .known(let phase) = event.phase else { return }
        switch phase {
        case .entered: if let state = event.state { enter(state) }
        case .suspended: enter(.suspended)
        case .woken: if state == .suspended { enter(.background) }
        case .ended, .removed: enter(.notRunning)
        case .installed, .launched, .problem: break
        }
    }

    private mutating func enter(_ state: AppState) {
        status?.state = .known(state)
        status?.timeRemaining = nil
        if state == .notRunning { (isScreenLive, nextTab) = (false, nil) }
        if !isAway { budget = nil }
        endWish()
    }

    private mutating func extendBudget(to time: Double?) {
        guard let time, isAway else { return }
        budget = max(budget ?? 0, time)
    }

    /// Forgets the view that the user has asked for, once the app is in that state.
    private mutating func endWish() {
        if let wish, wish == isAway { self.wish = nil }
    }

    // MARK: What is shown

    /// The area in which the cover is shown; nil if it is not.
    var coverArea: Rectangle? {
        guard !isHome, panel == nil, tab == .audio, let audio = screen?.audio, isScreenLive else {
            return nil
        }
        let main = DemoLayout(columns: columns, rows: rows).main
        return DemoAppView.coverArea(beside: audio.songs, in: main)
    }

    /// The app's state; nil if it is not known, or has no name here.
    var state: AppState? {
        guard case .known(let state) = status?.state else { return nil }
        return state
    }

    /// True if the app is not in the foreground.
    private var isAway: Bool { state != .active && state != .inactive }

    /// True if the springboard is shown.
    var isHome: Bool { wish ?? isAway }

    /// The name of the route that is replayed.
    var routeName: String? {
        route.flatMap { routes.indices.contains($0) ? routes[$0] : nil }
    }

    /// The tab that the app shows, or is about to show.
    var tab: DemoTab { nextTab ?? screen?.tab ?? .audio }

    /// The seconds that the app may still run in the background; nil without a limit.
    func timeRemaining(at now: ScheduleTime) -> Double? {
        guard let left = status?.timeRemaining, let statusTime, isAway else { return nil }
        return max(left - (now.boot - statusTime.boot), 0)
    }

    /// The seconds until something changes by itself: the remaining time, the sign of an update, or the
    /// minutes of the clock.
    private func nextChange(at now: ScheduleTime) -> Double {
        let isUpdating = !isHome && tab == .fetch && screen?.fetch.isUpdating == true
        if isUpdating || (timeRemaining(at: now) ?? 0) > 0 { return Self.motionTime }
        let minute = now.wall.truncatingRemainder(dividingBy: 60)
        return 60 - max(minute, 0)
    }

    // MARK: Actions

    private mutating func act(_ action: DemoKeys.Action) -> [Command] {
        switch action {
        case .touch(let touch):
            guard !isHome else { return [] }
            if case .tab(let tab) = touch { nextTab = tab }
            return [.touch(touch)]
        case .home:
            guard !isHome else { return [] }
            wish = true
            return [.home]
        case .open:
            guard isHome else { return [] }
            wish = false
            return [.open]
        case .kill: return [.kill]
        case .show(let panel):
            self.panel = panel
            cursor = panel == .routes ? route ?? 0 : 0
        case .close: panel = nil
        case .move(let distance): move(by: distance)
        case .choose(let row):
            if let row { cursor = row }
            return choose()
        case .simulate: return [.simulate]
        case .expire: return [.expire]
        case .scroll(let rows): console.scroll(by: rows, height: consoleRows)
        case .page(let pages):
            console.scroll(by: pages * max(consoleRows - 1, 1), height: consoleRows)
        case .repaint: return [.repaint]
        case .leave: return [.leave]
        }
        return []
    }

    private var consoleRows: Int { DemoLayout(columns: columns, rows: rows).console.rows }

    /// The number of rows that the cursor moves through.
    private var choices: Int {
        switch panel {
        case .capabilities: Self.modes.count
        case .routes: routes.count + 1
        case .help: DemoKeys.help.count
        case nil: screen?.audio.songs.count ?? 0
        }
    }

    private mutating func move(by distance: Int) {
        let place = min(max((panel == nil ? song : cursor) + distance, 0), max(choices - 1, 0))
        if panel == nil { song = place } else { cursor = place }
    }

    /// Chooses the row at the cursor.
    private mutating func choose() -> [Command] {
        switch panel {
        case .capabilities:
            let mode = Self.modes[min(cursor, Self.modes.count - 1)]
            return [.declare(mode, isOn: !capabilities.contains(mode))]
        case .routes:
            panel = nil
            return [.route(cursor < routes.count ? cursor : nil)]
        case .help: panel = nil
        case nil: break
        }
        return []
    }
}
