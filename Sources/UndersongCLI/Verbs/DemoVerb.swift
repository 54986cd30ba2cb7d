import ArgumentParser
import CommandOptions
import Control

/// `undersong demo`: shows what the host's background execution does to an application.
struct DemoVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show background execution by an example.",
        subcommands: [FibonacciVerb.self])

    /// `undersong demo fibonacci`
    struct FibonacciVerb: Verb {
        static let configuration = CommandConfiguration(
            commandName: "fibonacci",
            abstract: "Count on in the background for as long as a finite-length task may.",
            discussion: """
                A new Fibonacci number comes every half second. Sent to the background it goes on \
                for as long as the host's background time lasts; then it stands still until it is \
                in the foreground again.
                """)

        @Option(help: "How many times as fast the timer fires.")
        var speed = 1.0

        @Option(help: "Stop after so many numbers.")
        var ticks: Int?

        @Flag(help: "Write every line as JSON.")
        var json = false

        @OptionGroup var session: SessionName

        func validate() throws {
            try check("--speed", speed, 0.01...1000)
            if let ticks, ticks < 1 { throw ValidationError("--ticks is 1 or more.") }
        }

        func perform() throws {
            let signals = HostSignals()
            let terminal = HostTerminal()
            let state = terminal.state
            let link = ServiceLink()
            let app = FibonacciApp(
                link, state: state, speed: speed, ticks: ticks, isJSON: json)
            let manner = Follower.Manner(
                purpose: "go on", stop: { _, _ in app.stop() }, take: { app.take($0) })
            let follower = Follower(terminal, manner, link: link)
            try follower.begin(session: session.text, as: "demo fibonacci") { calls in
                calls.add(Attach(state: state.rawValue, source: terminal.source))
                calls.add(Subscribe(interval: nil, kinds: ["application"]))
            }
            app.play { follower.leave(0) }
            follower.follow(signals, told: state)
        }
    }
}
