import ArgumentParser
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

@main
struct Undersong: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undersong",
        abstract: "Play a queue of music files without gaps, and report the time of what is heard.",
        discussion: """
            Examples:
              undersong demo                       # an app, and its life in the background
              undersong play ~/Music/album         # or: undersong ~/Music/album
              undersong queue add song.flac        # play it after the others
              undersong library add ~/Music        # then: undersong play --library artist:björk
              undersong volume 80
              undersong seek +30
              undersong why                        # why there is sound, or none

            Exit status: 0 if it was done, 1 if it could not be, 64 for a usage error, 69 if no \
            service is running or can be started, 77 if music may not play in the background, 78 \
            for an error in the configuration. The help of a verb lists its own.

            ~/.config/undersong/config.json5 holds defaults for options, by verb, and keys for \
            play, watch and ui: { play: { volume: 60, shuffle: true }, keys: { f: "seek +30" } }. \
            The command line takes precedence. A key can do toggle, next, previous, seek +30, seek \
            50%, volume -5, mute, faster, slower, normal-speed, shuffle, repeat, background, quit, \
            detach, help or nothing. XDG_CONFIG_HOME sets another folder, UNDERSONG_CONFIG another file. \
            'undersong doctor' checks the file.
            """,
        version: Version.built,
        groupedSubcommands: groups)

    private static let transportVerbs: [any ParsableCommand.Type] = [
        PlayVerb.self, PauseVerb.self, ResumeVerb.self, ToggleVerb.self, StopVerb.self,
        NextVerb.self, PreviousVerb.self, SeekVerb.self, NextChapterVerb.self,
        PreviousChapterVerb.self,
    ]

    /// The verbs as the help lists them.
    private static let groups = [
        CommandGroup(name: "Playing", subcommands: transportVerbs),
        CommandGroup(
            name: "Settings",
            subcommands: settingVerbs + [
                OutputVerb.self, SleepVerb.self, StopAfterVerb.self, AlarmVerb.self,
            ]),
        CommandGroup(
            name: "Queue and status",
            subcommands: [
                QueueVerb.self, StatusVerb.self, WatchVerb.self, UIVerb.self, HistoryVerb.self,
                EventsVerb.self, SnapshotVerb.self, SessionsVerb.self,
            ]),
        CommandGroup(
            name: "Library",
            subcommands: [
                LibraryVerb.self, RatingVerb.self, FavouriteVerb.self, LyricsVerb.self,
            ]),
        CommandGroup(
            name: "Network and places",
            subcommands: [
                FeedVerb.self, DownloadVerb.self, PushVerb.self, NotificationsVerb.self,
                LocationVerb.self,
            ]),
        CommandGroup(
            name: "Checking",
            subcommands: [WhyVerb.self, DoctorVerb.self, VerifyVerb.self, AnalyzeVerb.self]),
        CommandGroup(
            name: "Service and files",
            subcommands: [ServeVerb.self, ShutdownVerb.self, RenderVerb.self]),
        CommandGroup(
            name: "Background modes and development",
            subcommands: [
                CapabilityVerb.self, AppVerb.self, HostVerb.self, InterruptVerb.self, TaskVerb.self,
                FetchVerb.self, ProcessingVerb.self, DemoVerb.self,
            ]),
    ]

    static let verbs = groups.flatMap(\.subcommands)

    /// Runs the command that the arguments name. The simplest calls skip the parser, and a valid
    /// call is parsed by its verb alone, so that sound starts sooner. Help and errors need the
    /// whole command tree.
    static func main() {
        openStandardDescriptors()
        if let folder = Environment["XDG_RUNTIME_DIR"], !folder.hasPrefix("/") {
            complain("XDG_RUNTIME_DIR is ignored, since \(folder) is not an absolute path")
        }
        let texts = helpOfService(ProcessArguments.texts)
        if texts.isEmpty { perform(Overview.show) }
        let given = namesMedia(texts) ? ["play"] + texts : texts
        let call = ConfiguredCall(given, configuration(for: given), verbs: verbs)
        if let plain = PlainCall(call.arguments) { perform(plain.perform) }
        parse(call)
    }

    /// The user's configuration, except for calls that have to work with a wrong one, or that
    /// another program performs.
    private static func configuration(for arguments: [String]) -> Configuration? {
        let name = arguments.first ?? "-"
        let isAsking = name.hasPrefix("-") || ["help", "doctor"].contains(name)
        if isAsking || isHandedOn(name) { return nil }
        do throws(ConfigurationError) {
            guard let configuration = try Configuration.found() else { return nil }
            if let error = unknownSection(in: configuration) { throw error }
            return configuration
        } catch {
            complain(error.description)
            Glibc.exit(Failure.badConfiguration)
        }
    }

    /// The error for a section of the configuration that is not named after a verb; nil if all are.
    static func unknownSection(in configuration: Configuration) -> ConfigurationError? {
        for name in configuration.verbs where ConfiguredCall.verb(name, in: verbs) == nil {
            let names = verbs.compactMap { $0.configuration.commandName } + ["keys"]
            let meant = Suggestion.text(for: name, among: names)
            return configuration.error(in: name, "There is no verb '\(name)'\(meant)")
        }
        return nil
    }

    /// True if undersongd performs the verb, with its own defaults.
    static func isHandedOn(_ name: String) -> Bool { ["serve", "render", "verify"].contains(name) }

    /// `help render` as `render --help`, which undersongd answers; other arguments unchanged.
    static func helpOfService(_ arguments: [String]) -> [String] {
        guard arguments.count == 2, arguments[0] == "help", isHandedOn(arguments[1]) else {
            return arguments
        }
        return [arguments[1], "--help"]
    }

    /// True if the first argument is not a verb but something to play: a file that exists, or a
    /// URL.
    static func namesMedia(_ arguments: [String]) -> Bool {
        guard let name = arguments.first, !name.hasPrefix("-"), name != "help" else { return false }
        return (exists(name) || name.contains("://"))
            && !verbs.contains { $0.configuration.commandName == name }
    }

    private static func exists(_ name: String) -> Bool { FilePath(argument: name).exists }

    private static func perform(_ call: () throws -> Void) -> Never {
        do {
            try call()
            Glibc.exit(0)
        } catch {
            guard let failure = Failure(error) else { exit(withError: error) }
            complain(failure.message)
            Glibc.exit(failure.status)
        }
    }

    private static func parse(_ call: ConfiguredCall) {
        let arguments = Arguments.ordered(call.arguments)
        // The other verbs come last: the types of the settings' verbs are created at run time.
        run(arguments, as: transportVerbs)
        if let text = unknownVerb(in: arguments) ?? misreadFile(in: call.given) {
            complain(text)
            Glibc.exit(64)
        }
        run(arguments, as: verbs)
        if let error = call.error {
            complain(error.description)
            Glibc.exit(Failure.badConfiguration)
        }
        // Anything else asks for help, which the command tree shows.
        perform(Arguments.ordered(call.given))
    }

    /// Runs the verb that `arguments` call correctly; returns only if they call none of `verbs`.
    private static func run(_ arguments: [String], as verbs: [any ParsableCommand.Type]) {
        guard let name = arguments.first,
            let type = verbs.first(where: { $0.configuration.commandName == name }),
            let verb = try? type.parseAsRoot(Array(arguments.dropFirst())) as? any Verb
        else { return }
        do { try verb.run() } catch { exit(withError: error) }
        Glibc.exit(0)
    }

    /// The error for a call, or a request for help, with an unknown verb; nil for any other call.
    static func unknownVerb(in arguments: [String]) -> String? {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        var path: [String] = []
        var known = verbs
        for word in words.first == "help" ? words.dropFirst() : words where !known.isEmpty {
            // The URL of a download is not a verb.
            if path == ["download"], word.contains(":") { return nil }
            guard let verb = known.first(where: { $0.isCalled(word) }) else {
                return unknown(word, of: path, known)
            }
            path.append(word)
            known = verb.configuration.subcommands
        }
        return nil
    }

    /// The error for a call with the name of a file that the parser takes for options, of which a
    /// letter may be the one for help; nil for any other call.
    static func misreadFile(
        in arguments: [String], exists: (String) -> Bool = Undersong.exists
    ) -> String? {
        let name = arguments.prefix { $0 != "--" }.first {
            guard $0.hasPrefix("-"), !$0.hasPrefix("--"), $0.count > 2 else { return false }
            let isHelp = $0.contains("h") && !Arguments.isNegative($0)
            return exists($0) || isHelp && $0 != "-help"
        }
        return name.map {
            "'\($0)' looks like an option; write ./\($0), or put -- before it"
        }
    }

    private static func unknown(
        _ word: String, of path: [String], _ known: [any ParsableCommand.Type]
    ) -> String {
        let call = path + [word]
        let things = path.isEmpty ? "verb or file" : "verb"
        let text = "cannot run \(call.joined(separator: " ")): There is no such \(things)"
        let isVerb = verbs.contains { $0.configuration.commandName == word }
        let near = Suggestion.nearest(
            to: word, among: known.compactMap { $0.configuration.commandName })
        let other = path.isEmpty ? otherName(of: word) : nil
        let meant = isVerb ? word : other ?? near.map { (path + [$0]).joined(separator: " ") }
        if let meant { return "\(text); did you mean '\(meant)'?" }
        return "\(text); '\((["undersong"] + path).joined(separator: " ")) --help' lists the verbs"
    }

    /// The names here for verbs of other players that resemble another verb, or none.
    private static let otherNames = [
        "skip": "next", "current": "status", "cdprev": "previous", "playlist": "queue list",
        "del": "queue remove", "random": "shuffle", "idle": "events", "outputs": "output list",
        "lsplaylists": "queue saved", "searchplay": "queue search --play",
        "find": "library tracks", "findadd": "queue add --library",
        "searchadd": "queue add --library", "listall": "library tracks",
        "update": "library update", "rescan": "library update --all", "sticker": "rating",
        "artists": "library artists", "albums": "library albums", "favorite": "favourite",
        "favorites": "library tracks is:favourite", "love": "favourite on",
    ]

    /// The name here for a verb of another player; nil if it is none. Those of mpc that edit the
    /// queue are verbs of `queue`.
    private static func otherName(of word: String) -> String? {
        let ofQueue = QueueVerb.configuration.subcommands
            .contains { $0.configuration.commandName == word }
        return ofQueue ? "queue \(word)" : otherNames[word]
    }
}

extension ParsableCommand {
    /// Returns true if a verb has this name, or the other name for it.
    fileprivate static func isCalled(_ word: String) -> Bool {
        configuration.commandName == word || configuration.aliases.contains(word)
    }
}

/// `undersong` alone: the status if a service is running, otherwise how to begin.
enum Overview {
    static let introduction = """
        No service is running, so nothing is playing.

          undersong play FILE...     play files, folders and playlists
          undersong play             resume the last queue
          undersong queue add FILE   add to the queue without playing
          undersong library          find music by artist, album and more
          undersong ui               show the queue full screen
          undersong doctor           find out what keeps music from playing
          undersong --help           list all verbs

        """

    /// Shows it. The service is not started by that.
    static func show() throws {
        guard
            let service = try? Service(
                to: "show the status", session: SessionName.standard)
        else { return writeOutput(introduction) }
        SessionOptions(json: false).show(try service.call(GetStatus()), StatusText.screen)
    }
}
