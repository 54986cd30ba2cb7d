import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong alarm`: begins the queue at a time of the day.
struct AlarmVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alarm", abstract: "Play the queue at a set time of day.",
        discussion: """
            An alarm plays as 'undersong resume' does: in the background it is heard only if the \
            mode audio is declared ('undersong capability audio on'). The service keeps running while \
            an alarm is on; if the machine was off, undersong-refresh.timer starts it. An alarm still \
            rings if it is up to 15 minutes late.

            Examples:
              undersong alarm add 07:30 --days mon-fri --fade-in 30
              undersong alarm add 22:00 --queue Evening --volume 40
              undersong alarm skip 1
            """,
        subcommands: [List.self, Add.self, Remove.self, On.self, Off.self, Skip.self],
        defaultSubcommand: List.self)

    /// `undersong alarm list`
    struct List: AlarmCallVerb {
        static let purpose = "show the alarms"
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the alarms.")
        @OptionGroup var options: SessionOptions

        func call() -> GetAlarms { GetAlarms() }
    }

    /// `undersong alarm add`
    struct Add: AlarmCallVerb {
        static let purpose = "add the alarm"
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add an alarm.",
            discussion: """
                Without --days it rings once. With --queue, --library or a FILE it replaces the \
                queue; otherwise it resumes the queue.
                """)

        @Argument(help: "The local time, such as 07:30.") var time: AlarmTime

        @Argument(help: "Files, folders or playlists to play.", completion: .file())
        var files: [FilePath] = []

        @Option(
            help: ArgumentHelp(
                "The days on which it rings: mon-fri, sat,sun or daily.", valueName: "days"))
        var days: AlarmDays?

        @Option(
            help: ArgumentHelp(
                "Seconds over which the sound fades in, at most 3600.", valueName: "seconds"))
        var fadeIn: Double?

        @Option(help: ArgumentHelp("The saved queue to play.", valueName: "name"))
        var queue: String?

        @OptionGroup var library: LibraryOption

        @Option(help: ArgumentHelp("The volume to set, 0 to 100.", valueName: "percent"))
        var volume: Double?

        @OptionGroup var options: SessionOptions

        func validate() throws {
            try check("--fade-in", fadeIn, 0...3600)
            try check("--volume", volume, 0...100)
            if queue != nil, !files.isEmpty || library.query != nil {
                throw ValidationError("Give --queue, or a FILE or --library, not both.")
            }
        }

        func call() throws -> AddAlarm {
            var settings = AlarmSettings(hour: time.hour, minute: time.minute, days: days?.days)
            if fadeIn != 0 { settings.fadeIn = fadeIn }
            settings.queue = queue
            settings.volume = volume
            var played = try Files(named: files)
            played.query = try library.checked(to: Self.purpose)
            if !played.isEmpty { settings.files = played }
            return AddAlarm(settings)
        }
    }

    /// `undersong alarm remove`
    struct Remove: AlarmCallVerb {
        static let purpose = "remove the alarm"
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove an alarm.")
        @Argument(help: "The number of the alarm.") var number: Int
        @OptionGroup var options: SessionOptions

        func call() -> RemoveAlarm { RemoveAlarm(number) }
    }

    /// `undersong alarm on`
    struct On: AlarmCallVerb {
        static let purpose = "switch the alarm on"
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Switch an alarm on.")
        @Argument(help: "The number of the alarm.") var number: Int
        @OptionGroup var options: SessionOptions

        func call() -> SwitchAlarm { SwitchAlarm(number, on: true) }
    }

    /// `undersong alarm off`
    struct Off: AlarmCallVerb {
        static let purpose = "switch the alarm off"
        static let configuration = CommandConfiguration(
            commandName: "off", abstract: "Switch an alarm off, and keep it.")
        @Argument(help: "The number of the alarm.") var number: Int
        @OptionGroup var options: SessionOptions

        func call() -> SwitchAlarm { SwitchAlarm(number, on: false) }
    }

    /// `undersong alarm skip`
    struct Skip: AlarmCallVerb {
        static let purpose = "skip the alarm"
        static let configuration = CommandConfiguration(
            commandName: "skip", abstract: "Skip the next time of an alarm.",
            discussion: "An alarm that rings once is switched off.")
        @Argument(help: "The number of the alarm.") var number: Int
        @OptionGroup var options: SessionOptions

        func call() -> SkipAlarm { SkipAlarm(number) }
    }
}

/// A verb that shows the alarms.
protocol AlarmCallVerb: CallVerb where Call.Reply == AlarmStatus {}

extension AlarmCallVerb {
    static func text(_ status: AlarmStatus) -> String { AlarmText.list(status) }
}

/// A time of the day: `07:30`.
struct AlarmTime: ExpressibleByArgument, Equatable {
    var hour: Int
    var minute: Int

    init?(argument: String) {
        guard case .clock(let hour, let minute)? = SleepTime(argument: argument) else { return nil }
        self.hour = Int(hour)
        self.minute = Int(minute)
    }
}

/// Days of the week: `mon-fri`, `sat,sun`, `fri-mon`, or `daily`.
struct AlarmDays: ExpressibleByArgument, Equatable {
    /// The days, from Monday on.
    var days: [Weekday]

    init?(argument: String) {
        let all = Weekday.allCases
        guard argument != "daily" else {
            days = all
            return
        }
        var found: Set<Weekday> = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                .map { Weekday(rawValue: $0.lowercased()) }
            guard 1...2 ~= ends.count, let first = ends[0], let last = ends[ends.count - 1],
                let start = all.firstIndex(of: first), let end = all.firstIndex(of: last)
            else { return nil }
            for step in 0...((end - start + 7) % 7) { found.insert(all[(start + step) % 7]) }
        }
        days = all.filter(found.contains)
    }
}

/// Formats alarms.
enum AlarmText {
    /// `1: 07:30 mon-fri, next 2026-11-30 07:30, fade-in 30 s`, one per line, and a warning if they do
    /// not sound.
    static func list(_ status: AlarmStatus) -> String {
        guard !status.alarms.isEmpty else { return "no alarms" }
        var lines = status.alarms.map(line)
        if status.silentInBackground, status.alarms.contains(where: \.alarm.on) {
            lines.append(
                "warning: alarms do not sound in the background, since the mode audio is not "
                    + "declared; 'undersong capability audio on' declares it")
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ entry: AlarmStatus.Entry) -> String {
        let settings = entry.alarm.settings
        var parts = ["\(entry.alarm.number): \(settings.time) \(days(settings.days))"]
        parts.append(entry.nextLocal.map { "next \($0)" } ?? "off")
        if let queue = settings.queue { parts.append("queue \(Columns.printable(queue))") }
        if let files = settings.files?.paths, let first = files.first {
            let more = files.count > 1 ? " and \(files.count - 1) more" : ""
            parts.append(Columns.printable(first.description) + more)
        }
        if let query = settings.files?.query { parts.append("library \(Columns.printable(query))") }
        if let fade = settings.fadeIn { parts.append("fade-in \(numberText(fade)) s") }
        if let volume = settings.volume { parts.append("volume \(numberText(volume))") }
        return parts.joined(separator: ", ")
    }

    /// `mon-fri`, `sat,sun`, `daily` or `once`.
    static func days(_ days: [Weekday]?) -> String {
        guard let days else { return "once" }
        let all = Weekday.allCases
        if days.count == all.count { return "daily" }
        var runs: [[Weekday]] = []
        for (index, day) in all.enumerated() where days.contains(day) {
            if index > 0, runs.last?.last == all[index - 1] {
                runs[runs.count - 1].append(day)
            } else {
                runs.append([day])
            }
        }
        return runs.map { run in
            run.count < 3
                ? run.map(\.rawValue).joined(separator: ",")
                : "\(run[0].rawValue)-\(run[run.count - 1].rawValue)"
        }.joined(separator: ",")
    }
}
