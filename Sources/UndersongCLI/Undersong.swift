import ArgumentParser
import CommandOptions
import Glibc
import Playback

@main
struct Undersong: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undersong",
        abstract: "Play a queue of music files without gaps, and report the time of what is heard.",
        version: Version.built,
        subcommands: verbs)

    private static let transportVerbs: [any ParsableCommand.Type] = [
        PlayVerb.self, PauseVerb.self, ResumeVerb.self, ToggleVerb.self, StopVerb.self,
        NextVerb.self, PreviousVerb.self, SeekVerb.self, NextChapterVerb.self,
        PreviousChapterVerb.self,
    ]

    private static let verbs: [any ParsableCommand.Type] =
        transportVerbs + settingVerbs + [
            OutputVerb.self, InterruptVerb.self,
            SleepVerb.self, StopAfterVerb.self, QueueVerb.self, StatusVerb.self, WatchVerb.self,
            UIVerb.self,
            SnapshotVerb.self, HistoryVerb.self, EventsVerb.self, WhyVerb.self, DownloadVerb.self,
            FeedVerb.self, PushVerb.self, LocationVerb.self, HostVerb.self,
            CapabilityVerb.self, TaskVerb.self, FetchVerb.self, ProcessingVerb.self,
            SessionsVerb.self, ShutdownVerb.self,
            DoctorVerb.self,
            ServeVerb.self, RenderVerb.self, VerifyVerb.self, AnalyzeVerb.self, DemoVerb.self,
        ]

    /// Runs the command that the arguments name. The simplest calls skip the parser, and a valid
    /// call is parsed by its verb alone, so that sound starts sooner. Help and errors need the
    /// whole command tree.
    static func main() {
        openStandardDescriptors()
        let arguments = ProcessArguments.texts
        if let call = PlainCall(arguments) { perform(call) }
        if namesMedia(arguments) {
            let arguments = ["play"] + arguments
            if let call = PlainCall(arguments) { perform(call) }
            parse(arguments)
        } else {
            parse(Arguments.ordered(arguments))
        }
    }

    /// Whether the first argument is not a verb but something to play: a file that exists, or a
    /// URL.
    static func namesMedia(_ arguments: [String]) -> Bool {
        guard let name = arguments.first, !name.hasPrefix("-"), name != "help" else {
            return false
        }
        let path = FilePath(argument: name)
        let exists = unsafe path.withPlatformString { unsafe access($0, F_OK) } == 0
        return (exists || name.contains("://"))
            && !verbs.contains { $0.configuration.commandName == name }
    }

    private static func perform(_ call: PlainCall) -> Never {
        do {
            try call.perform()
            Glibc.exit(0)
        } catch {
            guard let failure = Failure(error) else { exit(withError: error) }
            complain(failure.message)
            Glibc.exit(failure.status)
        }
    }

    private static func parse(_ arguments: [String]) {
        // The other verbs come last: the types of the settings' verbs are created at run time.
        run(arguments, as: transportVerbs)
        if let text = unknownVerb(in: arguments) {
            complain(text)
            Glibc.exit(64)
        }
        run(arguments, as: verbs)
        // Anything else asks for help, which the command tree shows.
        main(arguments)
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
            guard let verb = known.first(where: { $0.configuration.commandName == word }) else {
                return unknown(word, of: path, known)
            }
            path.append(word)
            known = verb.configuration.subcommands
        }
        return nil
    }

    private static func unknown(
        _ word: String, of path: [String], _ known: [any ParsableCommand.Type]
    ) -> String {
        let call = path + [word]
        let text = "cannot \(call.joined(separator: " ")): There is no such verb"
        let isVerb = verbs.contains { $0.configuration.commandName == word }
        let near = Suggestion.nearest(
            to: word, among: known.compactMap { $0.configuration.commandName })
        let meant = isVerb ? [word] : near.map { path + [$0] }
        if let meant { return "\(text), did you mean '\(meant.joined(separator: " "))'?" }
        return "\(text); \((["undersong"] + path).joined(separator: " ")) --help lists all"
    }
}
