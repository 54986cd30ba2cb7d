import ArgumentParser
import AudioIO
import AudioSession
import Background
import Dispatch
import Glibc
import Playback

/// `undersong play`: plays files to their end and tells what is heard.
struct Play: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play files, playlists and folders one after the other.",
        discussion: """
            FILE is an MP3, an M3U or M3U8 playlist, a folder, or - for an MP3 stream on the \
            standard input. On a terminal one line shows what is heard; with --json, or where the \
            standard output is no terminal, every event is a line of JSON.

            Exit status: 0 when the queue was played, 1 when nothing could be, 64 for a wrong \
            call, 69 when no sound server answers.
            """)

    @Argument(help: ArgumentHelp("What to play.", valueName: "file"))
    var files: [String]

    @Flag(help: "Write every event as a line of JSON, on a terminal too.")
    var json = false

    @Option(help: "Whether to play on in the background, whatever the manifest declares: on, off.")
    var backgroundAudio: Switch?

    @Option(help: "The host's state: auto (from the terminal), active, inactive, background.")
    var host = HostOption.auto

    @Option(help: "Seconds between time events on an item's timeline, as 1/100 or 0.25.")
    var interval = Interval(CMTime(value: 1, timescale: 100))

    @Flag(help: "Tell no time events, which costs least.")
    var noTime = false

    @Option(help: "Tell when an item's time crosses this many seconds; may be given again.")
    var at: [Seconds] = []

    @OptionGroup
    var playing: PlayingOptions

    @Option(help: "Where the sound goes: pulse, null, wav:FILE.")
    var output = OutputOption.pulse

    @Option(help: "The sound server to play on, instead of the usual one.")
    var server: String?

    @Option(help: "The server's sink to play on, instead of its default one.")
    var device: String?

    func validate() throws {
        guard output != .pulse, server != nil || device != nil else { return }
        throw ValidationError("--server and --device go with --output pulse only.")
    }

    func run() throws {
        let terminal = HostTerminal(option: host)
        let signals = HostSignals()
        let showsLine = !json && isatty(STDOUT_FILENO) == 1
        let manifest = Manifest.find(backgroundAudio: backgroundAudio)
        let configuration = SessionConfiguration(
            output: output.destination(server: server, device: device),
            interval: showsLine ? LiveLine.interval : noTime ? nil : interval.time,
            boundaries: at.map(\.time), settings: playing.settings,
            indexFolder: IndexFolder.path, capabilities: manifest.capabilities,
            capabilitySource: manifest.source,
            applicationState: terminal.state, applicationStateSource: terminal.source)
        let session = AudioSession(configuration)
        let sink: any EventSink = showsLine ? LiveLine(terminal) : EventLines()
        let keyboard = Keyboard { key in
            Task(executorPreference: session.executor) { await session.player.press(key) }
        }
        let writer = EventWriter(sink, isLossless: !configuration.output.isRealTime) {
            keyboard?.release()
        }
        if let problem = manifest.problem { writer.complain(problem) }
        let host = Host(session, terminal: terminal, writer: writer, keyboard: keyboard)
        session.subscribe { event in
            writer.take(event)
            host.follow(event)
        }

        Task(executorPreference: session.executor) { await session.run() }
        Task(executorPreference: session.executor) {
            let end = await session.waitForEnd()
            writer.finish()
            host.leave(host.exitStatus(of: end))
        }
        Self.find(files, playing, in: session)
        DispatchQueue(label: "undersong.memory").asyncAfter(deadline: .now() + .seconds(1)) {
            StartMemory.giveBack()
        }
        host.follow(signals)
    }

    /// Finds what `files` name, and plays it in `session`.
    static func find(_ files: [String], _ playing: PlayingOptions, in session: AudioSession) {
        DispatchQueue(label: "undersong.files").async {
            let found = MediaFinder(files)
            Task(executorPreference: session.executor) {
                for error in found.errors { await session.report(error) }
                await session.player.append(found.sources.map(playing.entry))
                await session.player.play()
                if found.sources.isEmpty { await session.stop() }
            }
        }
    }
}

/// `on` or `off`.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

/// Where the host's state comes from.
enum HostOption: String, ExpressibleByArgument, CaseIterable {
    case auto, active, inactive, background
}

/// Where the sound goes, as it is written on the command line.
enum OutputOption: ExpressibleByArgument, Equatable {
    case pulse
    case null
    case wav(path: String)

    init?(argument: String) {
        if argument == "pulse" {
            self = .pulse
        } else if argument == "null" {
            self = .null
        } else if argument.hasPrefix("wav:") && argument.count > 4 {
            self = .wav(path: String(argument.dropFirst(4)))
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "pulse" }

    func destination(server: String?, device: String?) -> OutputDestination {
        switch self {
        case .pulse: .pulse(server: server, device: device)
        case .null: .null
        case .wav(let path): .wav(path: path)
        }
    }
}
