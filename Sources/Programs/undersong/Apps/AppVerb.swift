import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong app`: programs that the service suspends, wakes, launches and ends.
struct AppVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Install programs as apps, and show and control them.",
        discussion: """
            The service suspends an app that does nothing in the background, wakes it for what it has \
            asked for, launches it where it does not run, and ends it when it overstays. A program \
            that uses the framework UIKit is an app from its first run on.

            Examples:
              undersong app install ./player --plist Info.plist
              undersong app
              undersong app log net.example.player -f
            """,
        subcommands: [
            List.self, Install.self, Open.self, Home.self, Kill.self, Remove.self, Log.self,
            Wake.self,
        ],
        defaultSubcommand: List.self)

    /// `undersong app list`
    struct List: CallVerb {
        static let purpose = "list the apps"
        static let configuration = described(
            "list", "List the apps, with what each one does or waits for, and how it last ended.")
        @OptionGroup var options: SessionOptions

        func call() -> GetApps { GetApps() }

        static func text(_ reply: AppList) -> String { AppText.list(reply) }
    }

    /// `undersong app install`
    struct Install: AppCallVerb {
        static let purpose = "install the app"
        static let configuration = described(
            "install", "Install a program as an app, or change how it is launched.",
            discussion: """
                The property list has Apple's keys: CFBundleIdentifier, CFBundleDisplayName, \
                UIBackgroundModes, BGTaskSchedulerPermittedIdentifiers and the texts for the \
                location, such as NSLocationWhenInUseUsageDescription. It is read again at each \
                launch. Without one, the app may do nothing in the background for long.

                The app is launched in the folder in which this command runs.

                Examples:
                  undersong app install ./player
                  undersong app install player --id net.example.player -- --quiet
                """)

        @Argument(help: "The program: a path, or a name to look for in PATH.")
        var program: String

        @Option(
            help: ArgumentHelp(
                "The property list; by default Info.plist beside the program, if there is one.",
                valueName: "file"),
            completion: .file(extensions: ["plist"]))
        var plist: FilePath?

        @Option(
            help: ArgumentHelp(
                "The app's identifier; by default that of the property list, or the program's name.",
                valueName: "identifier"))
        var id: String?

        @OptionGroup var options: SessionOptions

        @Argument(parsing: .postTerminator, help: "Arguments for the program, after --.")
        var arguments: [String] = []

        func call() throws -> InstallApp {
            InstallApp(
                try AppInstallation(
                    program: FilePath(argument: program), arguments: arguments, manifest: plist,
                    identifier: id
                ).app())
        }

        static func text(_ status: AppStatus) -> String { AppText.installed(status) }
    }

    /// `undersong app open`
    struct Open: AppCallVerb {
        static let purpose = "open the app"
        static let configuration = described(
            "open", "Bring an app to the foreground; launch it if it does not run.")
        @OptionGroup var app: AppArgument
        @OptionGroup var options: SessionOptions

        func call() -> OpenApp { OpenApp(app.identifier) }
    }

    /// `undersong app home`
    struct Home: AppCallVerb {
        static let purpose = "send the app to the background"
        static let configuration = described(
            "home", "Send an app to the background, as the home button does.")
        @OptionGroup var app: AppArgument
        @OptionGroup var options: SessionOptions

        func call() -> SendAppHome { SendAppHome(app.identifier) }
    }

    /// `undersong app kill`
    struct Kill: AppCallVerb {
        static let purpose = "end the app"
        static let configuration = described(
            "kill", "End an app. It is not launched again until you open it.")
        @OptionGroup var app: AppArgument
        @OptionGroup var options: SessionOptions

        func call() -> KillApp { KillApp(app.identifier) }
    }

    /// `undersong app remove`
    struct Remove: Verb {
        static let configuration = described(
            "remove", "Forget an app, its requests and its records.",
            discussion: "If it is running, it continues as any other program does.")
        @OptionGroup var app: AppArgument
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("remove the app", RemoveApp(app.identifier)) { _ in
                "removed \(Columns.printable(app.identifier))"
            }
        }
    }

    /// `undersong app log`
    struct Log: Verb {
        static let configuration = described(
            "log", "Show what has happened to an app, and what it has written.",
            discussion: """
                The log has a line for each change in the app's life, and the output of launches by \
                the service.
                """)

        @Flag(name: .shortAndLong, help: "Also show new lines as they are written, until Ctrl-C.")
        var follow = false

        @OptionGroup var app: AppArgument
        @OptionGroup var session: SessionName

        func perform() throws {
            let service = try Service(
                to: "show the log", session: session.text, startsService: true)
            let path = try service.call(GetAppLog(app.identifier)).path
            try AppLog(path: path, of: app.identifier).show(follows: follow)
        }
    }

    /// `undersong app wake`
    struct Wake: AppCallVerb {
        static let purpose = "wake the app"
        static let configuration = described(
            "wake", "Wake an app, or launch it into the background.",
            discussion: """
                undersong-transferd calls this when a background session has events, or the location \
                has changed.
                """)

        @OptionGroup var app: AppArgument

        @Option(
            help: ArgumentHelp(
                "Wake it for the events of this background session.", valueName: "session"))
        var events: String?

        @Flag(help: "Wake it for a change of location.") var location = false

        @Option(
            help: ArgumentHelp(
                "Wake it for the background task with this identifier.", valueName: "identifier"))
        var task: String?

        @OptionGroup var options: SessionOptions

        private var reasons: [AppReason] {
            [events.map(AppReason.transfers), location ? .location : nil, task.map(AppReason.task)]
                .compactMap(\.self)
        }

        func validate() throws {
            guard reasons.count == 1 else {
                throw ValidationError("Give one of --events, --location and --task.")
            }
        }

        func call() throws -> WakeApp {
            guard let reason = reasons.first else { preconditionFailure("validated") }
            return WakeApp(app.identifier, reason)
        }
    }
}

/// A verb that shows the app that it is about.
protocol AppCallVerb: CallVerb where Call.Reply == AppStatus {}

extension AppCallVerb {
    static func text(_ status: AppStatus) -> String { AppText.line(status) }
}

/// The app that a verb is about.
struct AppArgument: ParsableArguments {
    /// The apps of a service that is running.
    private static let identifiers = CompletionKind.custom { _, _, _ in
        let service = try? Service(to: "complete", session: SessionName.standard)
        return service?.answer(to: GetApps(), within: 1)?.apps.map(\.app.identifier) ?? []
    }

    @Argument(
        help: ArgumentHelp("The app's identifier.", valueName: "id"), completion: identifiers)
    var identifier: String
}
