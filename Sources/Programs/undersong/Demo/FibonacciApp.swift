import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// Performs the actions of `FibonacciDemo`, on a queue of its own; the service plays the system's
/// part.
final class FibonacciApp: Sendable {
    private let link: Service
    private let queue = DispatchQueue(label: "undersong.demo")
    private let interval: Double
    private let isJSON: Bool
    private let demo: Mutex<FibonacciDemo>
    /// Identifies the current start of the timer; every start and stop changes it.
    private let turn = Atomic(0)
    /// The number of numbers left to write; nil for no limit.
    private let ticksLeft: Mutex<Int?>
    private let whenDone = Mutex<@Sendable () -> Void>({})

    /// The timer fires `speed` times as fast as usual, and stops after `ticks`, if given. With
    /// `isJSON` each line is an object with the text.
    init(
        _ link: Service, state: ApplicationState, speed: Double, ticks: Int?, isJSON: Bool
    ) {
        self.link = link
        self.isJSON = isJSON
        interval = FibonacciDemo.interval / speed
        demo = Mutex(FibonacciDemo(state: state))
        ticksLeft = Mutex(ticks)
    }

    /// Starts. `whenDone` is called after the last number, or after `stop`.
    func play(whenDone: @escaping @Sendable () -> Void) {
        self.whenDone.withLock { $0 = whenDone }
        change { $0.play() }
    }

    /// Stops.
    func stop() {
        change { $0.stop() }
        queue.async { [self] in
            // Requests are answered in order, so the task has ended when this is answered.
            link.send(GetTaskTime()) { [self] _ in queue.async { self.whenDone.withLock { $0 }() } }
        }
    }

    /// Handles a notice of the service.
    func handle(_ notice: Notice) {
        switch notice {
        case .event(let event):
            change { $0.enter(event.head.applicationState) }
        case .taskExpiring(let expiring): change { $0.expire(expiring.task) }
        default: break
        }
    }

    private func change(_ step: @escaping @Sendable (inout FibonacciDemo) -> [FibonacciDemo.Action])
    {
        queue.async { [self] in
            for action in demo.withLock({ step(&$0) }) { perform(action) }
        }
    }

    private func perform(_ action: FibonacciDemo.Action) {
        switch action {
        case .beginTask:
            link.send(BeginTask(name: "fibonacci")) { [self] result in
                let task = try? result.get().task
                change { $0.began(task) }
            }
        case .endTask(let task): link.send(EndTask(task))
        case .startTimer: startTimer()
        case .stopTimer: turn.add(1, ordering: .relaxed)
        case .write(let line): write(line)
        case .writeTimeRemaining:
            link.send(GetTaskTime()) { [self] result in
                let seconds = try? result.get().timeRemaining
                if let line = FibonacciDemo.timeRemaining(seconds) { write(line) }
            }
        }
    }

    private func write(_ line: String) {
        writeOutput((isJSON ? JSONLine.text(of: ["text": line]) : line) + "\n")
    }

    /// Starts the timer, which does not drift.
    private func startTimer() {
        let turn = turn.add(1, ordering: .relaxed).newValue
        fire(at: .now() + interval, turn)
    }

    /// Fires until the timer is stopped or started again. Missed times are skipped.
    private func fire(at moment: DispatchTime, _ turn: Int) {
        queue.asyncAfter(deadline: moment) { [self] in
            guard self.turn.load(ordering: .relaxed) == turn else { return }
            tick()
            fire(at: max(moment + interval, .now()), turn)
        }
    }

    private func tick() {
        for action in demo.withLock({ $0.tick() }) { perform(action) }
        let isLast = ticksLeft.withLock { left in
            left = left.map { $0 - 1 }
            return left == 0
        }
        if isLast { stop() }
    }
}

/// `undersong demo`: shows how background execution affects an application.
struct DemoVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Demonstrate background execution.",
        subcommands: [FibonacciVerb.self, FetchDemoVerb.self, LocationDemoVerb.self])

    struct FibonacciVerb: Verb {
        static let configuration = described(
            "fibonacci", "Keep counting in the background for as long as a finite-length task may.",
            discussion: """
                A new Fibonacci number appears every half second. In the background it continues \
                for as long as the host's background time lasts, then stops until it returns to \
                the foreground.
                """)

        @Option(
            help: ArgumentHelp(
                "The speed of the timer as a multiple of the usual one.", valueName: "factor"))
        var speed = 1.0

        @Option(help: ArgumentHelp("Stop after this many numbers.", valueName: "count"))
        var ticks: Int?

        @Flag(help: "Write every line as JSON.") var json = false
        @OptionGroup var session: SessionName

        func validate() throws {
            try check("--speed", speed, 0.01...1000)
            if let ticks, ticks < 1 { throw ValidationError("--ticks must be 1 or more.") }
        }

        func perform() throws {
            let signals = HostSignals()
            let terminal = HostTerminal()
            let state = terminal.state
            let link = Service()
            let app = FibonacciApp(
                link, state: state, speed: speed, ticks: ticks, isJSON: json)
            let followOptions = Follower.Options(
                purpose: "continue", stop: { _, _ in app.stop() }, handle: { app.handle($0) })
            let follower = Follower(terminal, followOptions, link: link)
            try follower.begin(session: session.text, as: "demo fibonacci") { calls in
                calls.add(Attach(state: state, source: terminal.source))
                calls.add(Subscribe(interval: nil, kinds: ["application"]))
            }
            app.play { follower.leave(0) }
            follower.follow(signals, reported: state)
        }
    }
}
