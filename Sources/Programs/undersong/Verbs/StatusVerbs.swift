import ArgumentParser
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// `undersong status`: shows the player's status.
struct StatusVerb: Verb {
    static let configuration = described(
        "status", "Show what is playing, on which device, and how.",
        discussion: """
            In a TEMPLATE, the names in braces are replaced: \
            \(StatusTemplate.Field.allCases.map(\.rawValue).joined(separator: ", ")). \
            Text in brackets is left out if a name in it has no value, as in \
            '[{artist} - ]{title}'; a backslash makes the next character literal.
            """)

    @Option(
        help: ArgumentHelp("Print one line by this template.", valueName: "template"),
        transform: StatusTemplate.init)
    var format: StatusTemplate?

    @Flag(help: "Print a line of JSON as a custom module of Waybar reads it.") var waybar = false

    @Flag(help: "Print a line whenever it changes, until the service ends.") var follow = false

    @Flag(help: "With --follow, wait for the next service when this one ends.") var wait = false

    @OptionGroup var options: SessionOptions

    func validate() throws {
        if wait, !follow { throw ValidationError("--wait goes with --follow only.") }
        if format != nil, waybar || options.json {
            throw ValidationError("--format does not go with --json or --waybar.")
        }
        if waybar, options.json { throw ValidationError("--waybar does not go with --json.") }
        if follow, format == nil, !waybar, !options.json {
            throw ValidationError("--follow goes with --format, --waybar or --json.")
        }
    }

    func perform() throws {
        guard let line else { return try options.showStatus() }
        let isTimed = format?.showsPosition ?? false
        if follow {
            let emptyLine = format.map { _ in "" } ?? (waybar ? WaybarText.emptyLine : nil)
            try StatusFollower(line, isTimed: isTimed)
                .run(session: options.session, waits: wait, emptyLine: emptyLine)
        }
        let service = try options.service(to: "show the status")
        service.noteHolder()
        writeOutput(line(try service.call(GetStatus())) + "\n")
    }

    /// Formats a status as one line; nil for the screen of a plain call.
    private var line: (@Sendable (PlayerStatus) -> String)? {
        if let format { return { format.text($0) } }
        if waybar { return { WaybarText.line($0) } }
        guard options.json, follow else { return nil }
        return { JSONLine.text(of: $0) }
    }
}

extension SessionOptions {
    /// Shows the player's status.
    func showStatus() throws {
        try ask("show the status", GetStatus(), StatusText.screen)
    }
}

/// `undersong why`: explains why there is sound or silence.
struct WhyVerb: Verb {
    static let configuration = described(
        "why", "Explain on one screen why there is sound, or none.")

    @OptionGroup var options: SessionOptions

    func perform() throws {
        let service = try options.service(to: "explain why", startsService: false)
        var reasons = Reasons(try service.call(GetWhy()))
        let downloads = RunningDownloads.list(
            session: options.session, runtimeFolder: Environment.runtimeFolder,
            stateFolder: Environment.stateFolder, limit: WhyText.downloadLimit)
        if case .success(let list) = downloads { reasons.downloads = list }
        reasons.background = try? service.call(GetRefreshStatus())
        options.show(reasons) { reasons in
            let path = reasons.why.status.item?.path
            return WhyText(reasons, isPipe: path.flatMap { FileFacts($0) }?.isPipe == true).screen
        }
    }
}
