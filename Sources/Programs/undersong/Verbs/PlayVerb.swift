import ArgumentParser
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// `undersong play`: plays files to their end and shows what is heard.
struct PlayVerb: Verb {
    static let configuration = described(
        "play", "Play files, playlists and folders one after the other.",
        discussion: """
            FILE is a music file (MP3, FLAC, Ogg Vorbis, Opus, WAV, AIFF, CAF, AU, Wave64), a \
            playlist (M3U, PLS, XSPF, CUE), a folder, or - for an MP3 stream on standard input; \
            --library plays what a query finds in the library ('undersong library --help'); without \
            either, the current queue is played. On a terminal, one line shows what is \
            heard; with --json, or if standard output is not a terminal, every event is a line of \
            JSON. A file, as with nohup, gets time events only with --json or --interval. In cron \
            jobs and in scripts that do not read events, use --quiet.

            \(EventCommandOptions.environment) They are run while this program follows the queue.

            With --detach, the command waits up to 30 seconds until an item on the network is heard \
            or has failed.

            Exit status: 0 if the queue was played, 1 if nothing could be played, 64 for a usage \
            error, 69 if no sound server answers in time, 77 if --detach stays silent because \
            music may not play in the background ('undersong capability audio on' allows it). A \
            service that was already running waits for a sound server indefinitely.
            """)

    @Argument(help: ArgumentHelp("What to play.", valueName: "file")) var files: [FilePath] = []

    /// For scripts with something to play by default, which then need not distinguish options from
    /// files.
    @Option(help: ArgumentHelp("What to play if no FILE is given.", visibility: .hidden))
    var defaultFile: FilePath?

    @OptionGroup var list: FileListOptions
    @OptionGroup var library: LibraryOption
    @Flag(help: "Write every event as a line of JSON, even on a terminal.") var json = false
    @Flag(help: "Write neither events nor a status line, only errors.") var quiet = false
    @Flag(help: "Start playing and return; needs background audio.") var detach = false

    @Flag(help: "Show a notification on the desktop for each item that begins.")
    var notify = false

    @OptionGroup var commands: EventCommandOptions

    @Option(
        choice: ArgumentHelp(
            "Keep playing in the background or not, whatever is declared: on, off.",
            valueName: "on|off"))
    var backgroundAudio: Switch?

    @Option(
        choice: ArgumentHelp(
            "The host's state: auto (from the terminal), active, inactive, background.",
            valueName: "state"))
    var host = HostOption.auto

    @OptionGroup var times: TimeOptions
    @OptionGroup var playing: PlayingOptions
    @OptionGroup var longForm: LongFormOptions
    @OptionGroup var sound: SoundOptions
    @OptionGroup var sleep: SleepOptions

    @OptionGroup var destination: OutputOptions

    @Option(
        help: ArgumentHelp(
            "Seconds to wait for a sound server if no service was running.", valueName: "seconds"))
    var outputDeadline = 10.0

    @OptionGroup var session: SessionName

    func validate() throws {
        guard outputDeadline > 0, outputDeadline <= 86400 else {
            throw ValidationError("--output-deadline must be above 0, and 86400 at most.")
        }
        if quiet, json { throw ValidationError("--quiet cannot be combined with --json.") }
        if detach, json || host != .auto || !commands.commands.isEmpty {
            throw ValidationError(
                "--detach cannot be combined with --json, --host, --on-item, --on-episode or "
                    + "--on-download.")
        }
    }

    func perform() throws {
        let run = try run
        if detach { try run.start() } else { try run.perform() }
    }

    /// The run that the options describe.
    var run: PlayRun {
        get throws {
            var run = PlayRun()
            let named = try list.names(after: files)
            let query = try library.checked(to: "play")
            let usual = query == nil ? defaultFile.map { [$0] } ?? [] : []
            var files = try Files(
                named: named.isEmpty ? usual : named, start: playing.start, end: playing.end)
            files.query = query
            run.request.files = files.isEmpty ? nil : files
            run.isJSON = json
            run.isQuiet = quiet
            run.commands = commands.commands
            run.request.notify = notify ? true : nil
            run.request.backgroundAudio = backgroundAudio?.isOn
            run.host = host
            run.interval = times.usedInterval?.wireTime
            run.isTimeForFiles = times.interval != nil
            run.boundaries = times.at.map(\.wireTime)
            run.request.settings = playing.settings.adding(longForm.settings).adding(sound.settings)
            run.request.sleep = sleep.call()
            // The current queue continues on its output, unless another one is given.
            let keepsOutput = files.isEmpty && destination.isUsual
            run.request.output = keepsOutput ? nil : destination.choice
            run.outputDeadline = outputDeadline
            run.session = session.text
            return run
        }
    }
}
