import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongDemoScreen

/// `undersong demo tour`: does what the tutorials ask of their reader, tab by tab, and writes the app's
/// console. Each step waits for what has to happen, and fails if it does not.
struct DemoTour {
    /// The seconds that the app may run in the background; half of them remain when a task expires.
    static let backgroundTime = 8.0
    /// The seconds of the route per second.
    private static let routeSpeed = 10.0
    /// The seconds within which a step has its effect.
    private static let patience = 20.0

    private let stage: DemoStage
    private let seen = DemoSightings()

    init(_ stage: DemoStage) { self.stage = stage }

    /// Does all of it.
    ///
    /// - Throws: a failure if something does not happen.
    func perform() throws {
        let modes: Set<BackgroundMode> = [.location, .fetch]
        try stage.begin(backgroundTime: Self.backgroundTime, modes: modes) { [seen] notice in
            seen.add(notice)
        }
        try showAudio()
        try showLocation()
        try showWhatever()
        try showFetch()
        try showRelaunch()
        seen.write("# That was the tour")
    }

    // MARK: The tabs

    private func showAudio() throws {
        seen.write("# Audio, without the capability: the home button stops it")
        try open(.audio)
        try play()
        try home(until: .suspended)
        try waitForStop()
        try reopen()
        // The last screen may be the one that was seen at home.
        try wait("it has stopped") { $0.screen?.audio.isPlaying == false }
        try play()

        seen.write("# Audio, with the capability: it plays on")
        try stage.declare(.audio, isOn: true)
        try wait("the app is open again") { $0.state == .active && $0.isScreenNew }
        try play()
        let mark = seen.now.lines.count
        try home(until: .background)
        try wait("it plays on in the background") { seen in
            let times = seen.times(after: mark)
            return (times.last ?? 0) > (times.first ?? 0) + 1
        }
        try reopen()
        stage.touch(.playPause)
        try wait("it pauses") { $0.screen?.audio.isPlaying == false }
    }

    private func showLocation() throws {
        seen.write("# Location: a drive, of which the home button misses nothing")
        try open(.location)
        stage.replay(.drive, speed: Self.routeSpeed)
        stage.touch(.locationSwitch)
        try wait("pins are on the map") { ($0.screen?.location.pins.count ?? 0) >= 3 }
        let mark = seen.now.lines.count
        try home(until: .background)
        try wait("locations come in the background") {
            $0.count(of: "App is backgrounded. New location is <", after: mark) >= 3
        }
        try reopen()
        try wait("the map shows them") {
            $0.screen?.location.pins.contains { $0.isFromBackground } == true
        }
        stage.touch(.locationSwitch)
        try wait("updates are off") { $0.screen?.location.isOn == false }
    }

    private func showWhatever() throws {
        seen.write("# Whatever: a calculation, until its time in the background is over")
        try open(.whatever)
        stage.touch(.calculation)
        try wait("it calculates") { ($0.screen?.whatever.position ?? 0) >= 4 }
        let mark = seen.now.lines.count
        try home(until: .background)
        for line in [
            "App is backgrounded. Next number = ", "Background time remaining = ",
            "iOS has signaled time has expired", "Background task ended.",
        ] {
            try wait(line) { $0.count(of: line, after: mark) > 0 }
        }
        try wait("the app is suspended") { $0.state == .suspended }
        seen.write("# Whatever, in front again: it continues with a new task, and is stopped")
        try reopen()
        // The last screen may still be the one of the calculation before.
        let position = seen.now.backgroundPosition
        try wait("it calculates again") { seen in
            guard let tab = seen.screen?.whatever else { return false }
            return tab.state == .calculating && tab.position > position
        }
        let stop = seen.now.lines.count
        stage.touch(.calculation)
        try wait("it stops") {
            $0.screen?.whatever.state == .ended
                && $0.count(of: "Background task ended.", after: stop) > 0
        }
    }

    private func showFetch() throws {
        seen.write("# Fetch: the app is woken for it, and suspended again")
        try open(.fetch)
        try home(until: .suspended)
        try refresh()
        try wait("the app is suspended") { $0.state == .suspended }
        try reopen()
        try wait("the time of the refresh is shown") { $0.screen?.fetch.lastRefresh != nil }
    }

    private func showRelaunch() throws {
        seen.write("# Fetch: the system has ended the app, and launches it again")
        let before = seen.now.screen?.fetch.lastRefresh ?? 0
        try home(until: .suspended)
        try stage.kill()
        try wait("its process has ended") { $0.state == .notRunning }
        try refresh()
        try wait("the app is suspended") { $0.state == .suspended }
        try reopen()
        try wait("a later refresh is shown") { ($0.screen?.fetch.lastRefresh ?? 0) > before }
    }

    // MARK: The steps

    /// Opens the app, and one of its tabs.
    private func open(_ tab: DemoTab) throws {
        if seen.now.state != .active { try reopen() }
        stage.touch(.tab(tab))
        try wait("the tab \(tab.rawValue) is shown") { $0.screen?.tab == tab }
    }

    private func reopen() throws {
        try stage.open()
        try wait("the app is open") { $0.state == .active && $0.isScreenNew }
    }

    private func home(until state: AppState) throws {
        try stage.home()
        try wait("the app is \(state.rawValue)") { $0.state == state }
    }

    /// Waits until the kernel has stopped the app's process, which plays nothing then.
    private func waitForStop() throws {
        let deadline = SystemClock().now + Int64(Self.patience * 1e9)
        while true {
            let process = try stage.status().process
            if let process, ProcessCondition(of: process)?.activity == .stopped { return }
            guard SystemClock().now < deadline else {
                throw Self.failure("The app is suspended, and its process runs")
            }
        }
    }

    private func play() throws {
        if seen.now.screen?.audio.isPlaying != true { stage.touch(.playPause) }
        let start = seen.now.screen?.audio.seconds ?? 0
        try wait("a song plays") {
            $0.screen?.audio.isPlaying == true && ($0.screen?.audio.seconds ?? 0) > start + 0.5
        }
    }

    /// Simulates a refresh, and waits for what the app writes about it.
    private func refresh() throws {
        let mark = seen.now.lines.count
        let lines = ["refresh occurred", "background refresh scheduled"]
        try stage.simulate()
        try wait(lines.joined(separator: ", ")) { seen in
            let new = seen.lines.dropFirst(mark)
            return new.firstIndex(of: lines[0]).map { new[$0...].contains(lines[1]) } ?? false
        }
    }

    private func wait(_ text: String, until condition: (DemoSightings.Values) -> Bool) throws {
        let deadline = SystemClock().now + Int64(Self.patience * 1e9)
        guard seen.wait(until: deadline, for: condition) else {
            throw Self.failure(
                seen.now.isLost
                    ? "The service has ended"
                    : "After \(Int(Self.patience)) s, this has not happened: \(text)")
        }
    }

    private static func failure(_ reason: String) -> Failure {
        Failure("cannot finish the tour: \(reason)")
    }
}

/// The sightings of the tour: the app's state, screen and console, which it writes to the standard
/// output.
final class DemoSightings: Sendable {
    struct Values: Sendable {
        /// The lines of the console.
        var lines: [String] = []
        var screen: DemoScreen?
        /// True if the screen is of the process that runs.
        var isScreenNew = false
        var state = AppState.notRunning
        /// True if the service has ended.
        var isLost = false

        /// The number of lines after the first `mark` that begin with a text.
        func count(of text: String, after mark: Int) -> Int {
            lines.dropFirst(mark).count { $0.hasPrefix(text) }
        }

        /// The last position in `App is backgrounded. Next number = Position 5 = 8`; 0 for none.
        var backgroundPosition: Int {
            let name = "App is backgrounded. Next number = Position "
            let line = lines.last { $0.hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count).prefix { $0.isNumber }) } ?? 0
        }

        /// The seconds in `Background: 12.34` after the first `mark` lines.
        func times(after mark: Int) -> [Double] {
            let name = "Background: "
            return lines.dropFirst(mark).filter { $0.hasPrefix(name) }
                .compactMap { Double($0.dropFirst(name.count)) }
        }
    }

    private let values = Mutex(Values())
    private let hasNews = Semaphore()

    /// The notices so far.
    var now: Values { values.withLock { $0 } }

    func add(_ notice: DemoStage.Notice) {
        values.withLock { values in
            switch notice {
            case .message(.screen(let screen)): (values.screen, values.isScreenNew) = (screen, true)
            case .message(.console(let line, _)):
                values.lines.append(line)
                writeOutput(line + "\n")
            case .event(.app(let event)): values.apply(event)
            case .event: break
            case .lost: values.isLost = true
            }
        }
        hasNews.post()
    }

    /// Writes a line of the tour itself.
    func write(_ line: String) { values.withLock { _ in writeOutput(line + "\n") } }

    /// Waits until a condition holds, and returns true then; false after `deadline`, in nanoseconds of
    /// CLOCK_MONOTONIC, or if the service has ended. One thread waits at a time.
    func wait(until deadline: Int64, for condition: (Values) -> Bool) -> Bool {
        while true {
            let now = now
            if condition(now) { return true }
            guard !now.isLost, hasNews.wait(until: deadline) else { return false }
        }
    }
}

extension DemoSightings.Values {
    fileprivate mutating func apply(_ event: AppEvent) {
        guard case .known(let phase) = event.phase else { return }
        switch phase {
        case .launched: isScreenNew = false
        case .entered: state = event.state ?? state
        case .suspended: state = .suspended
        case .woken: if state == .suspended { state = .background }
        case .ended, .removed: (state, isScreenNew) = (.notRunning, false)
        case .installed, .problem: break
        }
    }
}
