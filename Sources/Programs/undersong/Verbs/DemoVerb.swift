import ArgumentParser
import UndersongBackground
import UndersongCommandOptions
import UndersongControl

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

        @Option(help: ArgumentHelp("How many times faster the timer fires.", valueName: "factor"))
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
