import ArgumentParser
import AudioSession

@main
struct Undersong: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undersong",
        abstract: "Plays a queue of MP3s without a seam, and tells the time of what is heard.",
        version: AudioSession.version,
        subcommands: [Play.self, Render.self, Verify.self])

    /// Runs the command that the arguments name. A right call of `play` is parsed by that command
    /// alone, which takes half the time: sound comes sooner. Whatever else there is to say, of help
    /// and of wrong calls too, the whole tree says.
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == Play.configuration.commandName,
            let play = try? Play.parse(Array(arguments.dropFirst()))
        else { return main(nil) }
        do { try play.run() } catch { exit(withError: error) }
    }
}
