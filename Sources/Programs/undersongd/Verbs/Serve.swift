import ArgumentParser
import UndersongCommandOptions
import UndersongControl

/// `undersongd serve`: owns a session until it is asked to end.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve clients on the user's socket until SIGTERM.",
        discussion: """
            There is one service for each user and session name. undersong starts it if none is \
            running; systemd may start it too, through its socket.

            \(EventCommandOptions.environment) Under systemd they are in the service's sandbox, \
            which has no network.

            Exit status: 0 after a request to end or when idle, 1 if it cannot listen.
            """)

    @Option(help: ArgumentHelp("The session's name.", valueName: "name"))
    var session = ServeRun.standardSession

    @Option(
        help: ArgumentHelp(
            "The descriptor of a socket that is already listening.", valueName: "descriptor"))
    var listenFd: Int32?

    @Option(
        help: ArgumentHelp(
            "The read end of a pipe: the service and its apps end once nobody can write to it.",
            visibility: .hidden))
    var ownerFd: Int32?

    @Flag(help: "Exit when there has been nothing to do for a while (--idle-exit).")
    var onDemand = false

    @Option(
        help: ArgumentHelp(
            "The sound server on which a client is about to play.", visibility: .hidden))
    var soundServer: String?

    @Option(
        help: ArgumentHelp(
            "Seconds without work after which --on-demand exits.", valueName: "seconds"))
    var idleExit = ServeRun.idleSeconds

    @Option(
        help: ArgumentHelp(
            "Seconds for which the host may run in the background without a capability.",
            valueName: "seconds"))
    var backgroundTime = ServeRun.backgroundSeconds

    @Flag(help: "Resume playing where the last service ended.")
    var resume = false

    @Flag(
        inversion: .prefixedNo,
        help: "Show the player to desktops and media keys, by MPRIS, and notifications.")
    var mpris = true

    @Flag(help: "Show a notification for each item that begins.")
    var notify = false

    @OptionGroup
    var mpd: MPDOptions

    @OptionGroup
    var commands: EventCommandOptions

    @OptionGroup
    var sound: SoundOptions

    @OptionGroup
    var volume: VolumeOptions

    func validate() throws {
        guard ControlSocket.isValid(session: session) else {
            throw ValidationError(
                "'\(session)' is not a session name: use 1 to 64 letters, digits, '.', '_' and '-'."
            )
        }
        guard idleExit > 0, backgroundTime > 0 else {
            throw ValidationError("--idle-exit and --background-time must be above 0.")
        }
    }

    func run() throws { try serving.perform() }

    /// The run described by the options.
    var serving: ServeRun {
        var run = ServeRun()
        run.session = session
        run.listener = listenFd
        run.owner = ownerFd
        run.idleSeconds = onDemand ? idleExit : nil
        run.backgroundSeconds = backgroundTime
        run.soundServer = soundServer
        run.resumes = resume
        run.isShownToDesktop = mpris
        run.mpd = mpd.choice
        run.commands = commands.commands
        run.notifiesItems = notify
        run.settings = sound.settings.adding(volume.settings)
        return run
    }
}
