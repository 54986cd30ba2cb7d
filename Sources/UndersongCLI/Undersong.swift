import ArgumentParser
import AudioSession

@main
struct Undersong: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undersong",
        abstract: "Plays a queue of MP3s without a seam, and tells the time of what is heard.",
        version: AudioSession.version,
        subcommands: [Play.self, Render.self, Verify.self])
}
