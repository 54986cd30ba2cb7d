import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongDemoScreen
import UndersongLocation

/// Connects the demo's phone with the keyboard, the terminal and the stage.
final class DemoRun: Sendable {
    private let stage: DemoStage
    private let end: DemoEnd
    /// Does what the phone asks of the stage, one after the other.
    private let work = DispatchQueue(label: "undersong.demo")
    /// Loads covers, one after the other.
    private let covers = DispatchQueue(label: "undersong.cover", qos: .utility)
    private let time = DispatchQueue(label: "undersong.time")
    private let screen = Mutex<FullScreen<DemoDisplay>?>(nil)
    /// The number of the latest wait of the phone.
    private let wait = Atomic(0)

    init(_ stage: DemoStage, _ end: DemoEnd) {
        self.stage = stage
        self.end = end
    }

    /// Begins, and shows the app's `tab`.
    ///
    /// - Throws: a failure if the service, or the app, cannot be started.
    func begin(on tab: DemoTab, backgroundTime: Double) throws {
        try stage.begin(backgroundTime: backgroundTime) { [self] in handle($0) }
        let clock = SystemClock()
        let display = DemoDisplay(DemoPhone(app: stage.identifier, on: tab)) {
            ScheduleTime(clock, in: Self.utcOffset)
        }
        let terminal = HostTerminal()
        let screen = FullScreen(terminal, environment: { Environment[$0] }, display) { [self] in
            perform($0)
        }
        self.screen.withLock { $0 = screen }
        let keyboard = Keyboard { stroke in
            if case .report(let report) = stroke {
                screen.receive(report)
            } else {
                screen.receive(.stroke(stroke))
            }
        }
        end.use(terminal, screen, keyboard)
        give(.capabilities(stage.modes))
        replay(0)
        try stage.open(on: tab)
        look(at: .app)
        look(at: .refresh)
    }

    private func give(_ input: DemoPhone.Input) { screen.withLock { $0 }?.receive(input) }

    private func handle(_ notice: DemoStage.Notice) {
        switch notice {
        case .message(let message): give(.message(message))
        case .event(let event): give(.event(event))
        case .lost: end.leave(Failure.unavailable, "cannot show the demo: Its service has ended")
        }
    }

    private func perform(_ command: DemoPhone.Command) {
        switch command {
        case .touch(let touch): stage.touch(touch)
        case .open: act { try $0.open() }
        case .home: act { try $0.home() }
        case .kill: act { try $0.kill() }
        case .declare(let mode, let isOn):
            act { [self] stage in
                defer { give(.capabilities(stage.modes)) }
                try stage.declare(mode, isOn: isOn)
            }
        case .simulate: act { try $0.simulate() }
        case .expire: act { try $0.expire() }
        case .route(let index): replay(index)
        case .look(let subject): look(at: subject)
        case .loadCover(let request):
            covers.async { [self] in give(.cover(Cover(request))) }
        case .draw, .repaint: break
        case .wait(let seconds): giveTime(after: seconds)
        case .leave: end.leave(0)
        }
    }

    /// Has the stage do something; the phone shows why it cannot.
    private func act(_ body: @escaping @Sendable (DemoStage) throws -> Void) {
        work.async { [self] in
            do { try body(stage) } catch { give(.failed(Failure(error)?.message ?? "\(error)")) }
        }
    }

    /// Asks the service for something. Nothing waits for the answer.
    private func look(at subject: DemoPhone.Subject) {
        switch subject {
        case .app:
            let app = stage.identifier
            ask(GetApps()) { list in
                list.apps.first { $0.app.identifier == app }.map { .status($0) }
            }
        case .refresh:
            ask(GetRefreshStatus()) { .refresh($0) }
            ask(GetLearnedHours(ofApp: stage.identifier)) { .learned($0) }
        }
    }

    /// Sends a call, whose answer becomes an input of the phone.
    private func ask<Call: ControlCall>(
        _ call: Call, _ input: @escaping @Sendable (Call.Reply) -> DemoPhone.Input?
    ) {
        stage.send(call) { [self] answer in
            switch answer {
            case .success(let reply): if let input = input(reply) { give(input) }
            case .failure(let error): give(.failed(error.message))
            }
        }
    }

    private func replay(_ index: Int?) {
        let routes = Route.allCases
        stage.replay(index.map { routes[$0] })
        give(.routes(routes.map(\.title), chosen: index))
    }

    /// Gives the phone the time after this many seconds, unless it waits for another one by then.
    private func giveTime(after seconds: Double) {
        let number = wait.add(1, ordering: .relaxed).newValue
        time.asyncAfter(deadline: .now() + seconds) { [self] in
            if wait.load(ordering: .relaxed) == number { give(.timePassed) }
        }
    }

    /// The seconds by which local time is ahead of UTC at a date.
    @Sendable private static func utcOffset(_ wall: Double) -> Double {
        var seconds = time_t(wall)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return unsafe Double(parts.tm_gmtoff)
    }
}

extension DemoScreenVerb {
    func perform() throws {
        guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                "cannot show the demo: Standard input and output are not a terminal; "
                    + "'undersong demo tour' needs none")
        }
        guard ScreenControl.isUnderstood(by: Environment["TERM"]) else {
            throw Failure(
                "cannot show the demo: The terminal, by TERM, cannot place its cursor; "
                    + "'undersong demo tour' needs none")
        }
        let (tab, backgroundTime) = (tab, options.backgroundTime)
        try DemoEnd.run { stage, end in
            try DemoRun(stage, end).begin(on: tab, backgroundTime: backgroundTime)
            return nil
        }
    }
}
