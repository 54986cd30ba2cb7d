import ArgumentParser
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// `undersong status`: shows the player's status.
struct StatusVerb: Verb {
    static let configuration = described(
        "status", "Show what is playing, on which device, and how.",
        discussion: Template<StatusTemplate.Field>.help)

    @Option(
        help: ArgumentHelp("Print one line by this template.", valueName: "template"),
        transform: StatusTemplate.init)
    var format: StatusTemplate?

    @Flag(help: "Print a line of JSON for a custom module of Waybar.") var waybar = false
    @Flag(help: "Print a line whenever it changes, until the service ends.") var follow = false
    @Flag(help: "With --follow, wait for the next service when this one ends.") var wait = false
    @OptionGroup var options: SessionOptions

    func validate() throws {
        if wait, !follow { throw ValidationError("--wait needs --follow.") }
        if format != nil, waybar || options.json {
            throw ValidationError("--format cannot be combined with --json or --waybar.")
        }
        if waybar, options.json {
            throw ValidationError("--waybar cannot be combined with --json.")
        }
        if follow, format == nil, !waybar, !options.json {
            throw ValidationError("--follow needs --format, --waybar or --json.")
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
    func showStatus() throws { try ask("show the status", GetStatus(), StatusText.screen) }
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
        reasons.apps = try? service.call(GetApps())
        options.show(reasons) { reasons in
            let path = reasons.why.status.item?.path
            return WhyText(reasons, isPipe: path.flatMap { FileFacts($0) }?.isPipe == true).screen
        }
    }
}

/// Writes a line about the status whenever that line changes.
final class StatusFollower: Sendable {
    /// The kinds of events after which the status may be another one.
    private static let kinds = [
        "queue", "item", "state", "jump", "settings", "metadata", "tags", "application", "network",
        "time", "badge", "library",
    ]

    private let line: @Sendable (PlayerStatus) -> String
    private let isTimed: Bool
    private let link = Service()
    private let last = Mutex<String?>(nil)

    /// `line` formats a status. With `isTimed` the position is part of it.
    init(_ line: @escaping @Sendable (PlayerStatus) -> String, isTimed: Bool) {
        self.line = line
        self.isTimed = isTimed
    }

    /// False for an event that only says how far a scan of the library is.
    private static func matters(_ event: PlayerEvent) -> Bool {
        guard case .library(let library) = event.kind else { return true }
        return library.change != .scanning
    }

    /// Follows the session until the service or the reader ends. If it `waits`, it follows the next
    /// service, too; until then `emptyLine` is shown, if there is one.
    func run(session: String, waits: Bool, emptyLine: String?) throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let name = "status --follow"
        var options = Follower.Options(
            purpose: "follow the status", ownsRun: false,
            handle: { [self] in if case .event(let event) = $0, Self.matters(event) { ask() } })
        let interval = isTimed ? WireTime(value: 1, timescale: 1) : nil
        let fill = { @Sendable (calls: Service.Calls) in
            calls.add(Subscribe(interval: interval, kinds: Self.kinds))
        }
        if waits {
            options.waiting = Follower.Waiting(session: session, name: name, fill: fill) {
                [self] in
                if let emptyLine { show(emptyLine) }
            }
        }
        let follower = Follower(terminal, options, link: link)
        try follower.begin(session: session, as: name, startsService: true, fill)
        ask()
        follower.follow(signals, reported: terminal.state)
    }

    private func ask() {
        link.send(GetStatus()) { [self] reply in
            if let status = try? reply.get() { show(line(status)) }
        }
    }

    private func show(_ text: String) {
        last.withLock { last in
            guard text != last else { return }
            last = text
            writeOutput(text + "\n")
        }
    }
}
