import ArgumentParser
import AudioSession
import CommandOptions

/// The service, and what else decodes sound and plays none.
@main
struct Undersongd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: isClient ? "undersong" : "undersongd",
        abstract: "Plays queues of music files for its clients, which is what undersong is.",
        version: AudioSession.version,
        subcommands: [Serve.self, Render.self, Verify.self], defaultSubcommand: Serve.self)

    /// Whether the user has called `undersong`, which became this program.
    private static var isClient: Bool { ProcessArguments.programName == "undersong" }

    /// Runs the command that the arguments name. What a client starts its service with needs no
    /// parser: the client waits for it.
    static func main() {
        let arguments = ProcessArguments.texts
        guard arguments.first == Serve.configuration.commandName,
            let serving = ServeRun(plain: Array(arguments.dropFirst()))
        else { return main(arguments) }
        do { try serving.perform() } catch { exit(withError: error) }
    }
}
