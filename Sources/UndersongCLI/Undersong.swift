import ArgumentParser
import CommandOptions
import Glibc
import Playback

@main
struct Undersong: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undersong",
        abstract: "Plays a queue of MP3s without a seam, and tells the time of what is heard.",
        version: Version.text,
        subcommands: verbs)

    private static let verbs: [any ParsableCommand.Type] = [
        PlayVerb.self, PauseVerb.self, ResumeVerb.self, ToggleVerb.self, StopVerb.self,
        NextVerb.self, PreviousVerb.self, SeekVerb.self, VolumeVerb.self, RateVerb.self,
        RepeatVerb.self, ShuffleVerb.self, ResumeItemsVerb.self, SkipBackVerb.self,
        OnUnplugVerb.self, MixingVerb.self, InhibitVerb.self,
        OutputVerb.self, InterruptVerb.self,
        SleepVerb.self, QueueVerb.self, StatusVerb.self, HistoryVerb.self, EventsVerb.self,
        WhyVerb.self, HostVerb.self, CapabilityVerb.self, TaskVerb.self, SessionsVerb.self,
        DoctorVerb.self,
        ServeVerb.self, RenderVerb.self, VerifyVerb.self, DemoVerb.self,
    ]

    /// Runs the command that the arguments name. The plainest calls need no parser, and a right call
    /// is parsed by its verb alone, so that sound comes sooner. Whatever else there is to say, of
    /// help and of wrong calls too, the whole tree says.
    static func main() {
        openStandardDescriptors()
        let arguments = ProcessArguments.texts
        if let call = PlainCall(arguments) { perform(call) }
        parse(Arguments.ordered(arguments))
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
        guard let name = arguments.first, !name.hasPrefix("-"), name != "help" else {
            return main(arguments)
        }
        guard let verb = verbs.first(where: { $0.configuration.commandName == name }) else {
            complain(unknown(name))
            Glibc.exit(64)
        }
        let command = try? verb.parseAsRoot(Array(arguments.dropFirst()))
        // Anything else is a question for help, to which the tree knows the answer.
        guard let verb = command as? any Verb else { return main(arguments) }
        do { try verb.run() } catch { exit(withError: error) }
    }

    /// What is said of a verb that there is not.
    static func unknown(_ name: String) -> String {
        let names = verbs.compactMap { $0.configuration.commandName }
        let meant = Suggestion.text(for: name, among: names)
        return "cannot \(name): There is no such verb"
            + (meant.isEmpty ? "; undersong --help tells all" : meant)
    }
}
