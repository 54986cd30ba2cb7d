import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// The service program; also contains the other commands that decode audio without playing it.
@main
struct Undersongd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: isClient ? "undersong" : "undersongd",
        abstract: "Play queues of music files for its clients, such as undersong.",
        version: Version.built,
        subcommands: [Serve.self, Render.self, Verify.self, ProcessFiles.self],
        defaultSubcommand: Serve.self)

    /// True if the user ran `undersong`, which then executed this program.
    private static var isClient: Bool { ProcessArguments.programName == "undersong" }

    /// Runs the command given by the arguments. The command with which a client starts its service
    /// does not need the argument parser: the client is waiting for it.
    static func main() {
        openStandardDescriptors()
        let verbs: [any ParsableCommand.Type] = [Serve.self, Render.self, Verify.self]
        let call: ConfiguredCall
        do {
            call = ConfiguredCall(
                ProcessArguments.texts, try Configuration.found(), verbs: verbs)
            if let error = call.error { throw error }
        } catch {
            complain("\(error)")
            Glibc.exit(78)
        }
        let arguments = call.arguments
        guard arguments.first == Serve.configuration.commandName,
            let serving = ServeRun(plain: Array(arguments.dropFirst()))
        else { perform(arguments) }
        do { try serving.perform() } catch { exit(withError: error) }
    }
}
