import ArgumentParser
import FoundationEssentials
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// `undersong push`: remote notifications.
struct PushVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send pushes to the service or to other machines, and handle them.",
        discussion: """
            A push wakes the service in the background for up to 30 seconds if its payload has \
            "content-available": 1 and the mode is declared ('undersong capability \
            remote-notification on'). Three pushes can wake it at first, and then one every twenty \
            minutes. The others wait, and only the newest of each topic is kept.

            Examples:
              undersong push send -n -d feed=https://example.org/feed.xml
              undersong push send payload.json
              undersong push send --to ntfy https://ntfy.sh/a-secret-topic -m Hello
              undersong push provider ntfy https://ntfy.sh/a-secret-topic
              undersong push run -- ./on-push.sh
            """,
        subcommands: [
            Send.self, Simulate.self, Run.self, Token.self, Status.self, Provider.self,
        ])

    /// `undersong push simulate`: sends a file as `simctl push` does.
    struct Simulate: Verb {
        static let configuration = described(
            "simulate", "Send a push from a file made for simctl push.",
            discussion: """
                FILE, or standard input for -, has the payload. It may name the bundle under \
                "Simulator Target Bundle"; BUNDLE takes precedence. The bundle is the push's topic.

                Example:
                  undersong push simulate net.example.app payload.apns
                """)

        @OptionGroup var options: SessionOptions

        @Argument(
            help: ArgumentHelp(
                "The payload file, preceded by the bundle unless the file names it.",
                valueName: "bundle> <file"))
        var words: [String] = []

        private struct Target: Decodable {
            var bundle: String?

            enum CodingKeys: String, CodingKey { case bundle = "Simulator Target Bundle" }
        }

        func validate() throws {
            guard (1...2).contains(words.count) else {
                throw ValidationError("Name a FILE, or a BUNDLE and a FILE.")
            }
        }

        func perform() throws {
            let purpose = "simulate a push"
            let text = try PayloadFile.text(of: words.last ?? "-")
            let named = try? JSONDecoder().decode(Target.self, from: Data(text.utf8))
            guard let bundle = words.dropLast().first ?? named?.bundle else {
                throw Failure(
                    "cannot \(purpose): No bundle is named, as an argument or in the file",
                    status: 64)
            }
            try options.ask(purpose, SendPush(text, topic: bundle), PushText.receipt)
        }
    }

    /// `undersong push token`: shows the token.
    struct Token: Verb {
        static let configuration = described(
            "token", "Show the token that senders use to address this service.",
            discussion: """
                With UnifiedPush, the lines after it are for senders: the endpoint, and the keys for \
                which they encrypt payloads (Web Push, RFC 8291).
                """)

        @OptionGroup var options: SessionOptions

        func perform() throws { try options.ask("show the token", GetPushToken(), PushText.token) }
    }

    /// `undersong push status`: shows what waits, and why.
    struct Status: Verb {
        static let configuration = described(
            "status", "Show which pushes are waiting and why, and how many there have been.")

        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("show the pushes", GetPushStatus(), PushText.screen)
        }
    }

    /// `undersong push provider`: shows or sets where pushes come from.
    struct Provider: Verb {
        static let configuration = described(
            "provider", "Show or set the source of pushes besides 'undersong push'.",
            discussion: """
                NAME is local for none; ntfy, with the URL of a topic whose messages are payloads \
                (the URL may contain user and password); or unifiedpush, with the name of a \
                distributor on the session bus, such as kde, or without one for the first that is \
                found. 'undersong push token' shows the endpoint and the keys for its senders. They \
                stay the same until the distributor ends the registration or another provider is \
                set.

                Examples:
                  undersong push provider ntfy https://ntfy.sh/a-secret-topic
                  undersong push provider unifiedpush kde
                """)

        @Argument(choice: "The provider: local, ntfy or unifiedpush.") var name: PushSource.Kind?
        @Argument(help: "The URL of ntfy's topic, or the name of a distributor.") var place: String?

        @Option(
            help: ArgumentHelp(
                "Accept pushes by UnifiedPush only from the sender with this VAPID key.",
                valueName: "key"))
        var vapid: String?

        @OptionGroup var options: SessionOptions

        func validate() throws {
            if name == .ntfy, place == nil {
                throw ValidationError("Name the URL of the topic, such as https://ntfy.sh/TOPIC.")
            }
            if name == .local, place != nil { throw ValidationError("local takes no URL.") }
            if name != .unifiedpush, vapid != nil {
                throw ValidationError("--vapid is for unifiedpush only.")
            }
        }

        func perform() throws {
            guard let name else {
                return try options.ask("show the provider", GetPushStatus(), Self.text)
            }
            let source: PushSource =
                switch name {
                case .local: .local
                case .ntfy: .ntfy(url: place ?? "")
                case .unifiedpush: .unifiedpush(distributor: place, vapid: vapid)
                }
            try options.ask("set the provider", SetPushProvider(source), Self.text)
        }

        private static func text(_ status: PushStatus) -> String {
            Columns.lines(PushText.source(status))
        }
    }

    /// `undersong push run`: runs a command for each push.
    struct Run: Verb {
        static let configuration = described(
            "run", "Run a command for each push, until interrupted.",
            discussion: """
                The command receives the payload on its standard input, the push's number in \
                UNDERSONG_PUSH and its topic in UNDERSONG_TOPIC. Its exit status is the result: 0 for \
                new data, 1 for no new data, anything else for a failure. After 30 s it is killed.

                After Ctrl-Z this continues in the background for each push, and stops again after it.

                If the service is killed, this starts it again; if it is ended, this waits for it. \
                After a crash a push may come again, with the same number.
                """)

        @Option(help: "Handle only pushes of this topic; may be repeated.") var topic: [String] = []
        @OptionGroup var session: SessionName
        @Argument(parsing: .postTerminator, help: "The command, after --.") var command: [String]

        func validate() throws {
            if command.isEmpty { throw ValidationError("Name the command after --.") }
        }

        func perform() throws {
            let signals = TerminationSignals()
            let runner = PushRunner(command)
            try runner.begin(session: session.text, topics: topic.isEmpty ? nil : topic)
            _ = signals.next()
            runner.end()
        }
    }
}

extension PushSource.Kind: Choice {}
