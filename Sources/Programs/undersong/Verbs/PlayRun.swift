import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// A run of `undersong play`: requests it from the service, and follows it to its end.
struct PlayRun: Equatable {
    /// The request; without files, it is for the current queue.
    var request = Play(files: nil, output: Self.usualOutput, settings: SettingsChange())
    /// True to write events as lines of JSON even to a terminal.
    var isJSON = false
    /// True to write nothing but errors.
    var isQuiet = false
    /// The shell commands to run for events.
    var commands: [EventCommand.Subject: String] = [:]
    /// The source of the host's state.
    var host = HostOption.auto
    /// The interval of time events; nil for none.
    var interval: WireTime? = TimeOptions.usualInterval.wireTime
    /// True if time events are written to a file too.
    var isTimeForFiles = false
    /// The times to report when they are crossed.
    var boundaries: [WireTime] = []
    /// The seconds to wait for a sound server if the service was started for this run.
    var outputDeadline = 10.0
    /// The session's name.
    var session = SessionName.standard

    /// The sound server in this program's environment, which may be missing from the service's.
    static var usualServer: String? { Environment["PULSE_SERVER"] }
    /// The default output for playing files.
    static var usualOutput: OutputChoice {
        OutputOption.pulse.choice(server: usualServer, device: nil)
    }

    /// Plays until the run ends or a signal arrives.
    func perform() throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal(option: host)
        let isLive = !isJSON && !isQuiet && isatty(STDOUT_FILENO) == 1
        var followOptions = Follower.Options(
            purpose: "follow the queue", isLive: isLive, takesKeys: !isQuiet,
            endsWithReader: !isQuiet, offersBackground: request.backgroundAudio == nil,
            stop: { link, _ in link.send(Command(.stop)) }, deadline: deadline,
            explainsSilence: true)
        followOptions.keys = try KeyMap(Configuration.found())
        followOptions.commands = (commands, session, SystemClock())
        let follower = Follower(terminal, followOptions)
        let state = terminal.state
        try follower.begin(
            session: session, as: "play", startsService: true, soundServer: soundServer
        ) { calls in
            if isLive { sayHost() }
            calls.add(Attach(state: state, source: terminal.source))
            subscribe(calls, isLive: isLive)
            calls.add(firstRequest, descriptors: request.files?.descriptors ?? [])
            for more in request.files?.pieces.dropFirst() ?? [] { calls.add(AddToQueue(more)) }
        }
        DispatchQueue(label: "undersong.memory").asyncAfter(deadline: .now() + 1) {
            ProcessMemory.release()
        }
        follower.follow(signals, reported: state)
    }

    /// Starts the run, and leaves it to the service. Reports what cannot be played so far, and
    /// fails if nothing can. What is on the network is waited for until it is heard or cannot be,
    /// or for `openSeconds`.
    func start() throws {
        let news = DispatchSemaphore(value: 0)
        let lastTrouble = Mutex<String?>(nil)
        let service = try Service(
            to: "play", session: session, startsService: true, soundServer: soundServer
        ) { [isQuiet] notice in
            defer { news.signal() }
            guard case .event(let event) = notice else { return }
            switch event.kind {
            case .error(let failure): complain(failure.description)
            case .network(let network):
                guard !isQuiet, let trouble = network.trouble else { return }
                let text = "\(network.host): \(trouble)"
                let isNew = lastTrouble.withLock { last in
                    defer { last = text }
                    return last != text
                }
                if isNew { Self.say(text) }
            default: break
            }
        }
        _ = try service.call(
            Subscribe(interval: nil, kinds: ["error", "state", "item", "network"]))
        if !isQuiet { sayHost() }
        let reply = try service.call(
            firstRequest, descriptors: request.files?.descriptors ?? [])
        guard reply.run != 0 else { throw ExitCode(1) }
        for more in request.files?.pieces.dropFirst() ?? [] {
            _ = try service.call(AddToQueue(more))
        }
        let deadline = DispatchTime.now() + Self.openSeconds
        var status = try service.call(GetStatus())
        while Self.isConnecting(status), news.wait(timeout: deadline) == .success {
            status = try service.call(GetStatus())
        }
        if BackgroundSilence.isReason(of: status) {
            guard request.backgroundAudio == nil, !isQuiet, BackgroundOffer.isAccepted() else {
                throw Failure(BackgroundSilence.message, status: Failure.notPermitted)
            }
            _ = try service.call(DeclareMode(.audio, on: true))
            status = try service.call(GetStatus())
        }
        if status.item == nil { throw ExitCode(1) }
        if !isQuiet { writeOutput(StatusText.line(status) + "\n") }
    }

    /// The seconds for which `start` waits for the network: longer than it takes to give up a host
    /// that is unknown or refuses connections.
    private static let openSeconds = 30.0

    /// True if the current item is on the network, and is about to be heard or given up.
    private static func isConnecting(_ status: PlayerStatus) -> Bool {
        guard status.item?.source.isRemote == true else { return false }
        if status.reason == .known(.evaluatingBufferingRate) { return true }
        return status.reason == .known(.toMinimizeStalls) && status.network?.trouble == nil
    }

    /// Says at once which host is asked first, which may take a while.
    private func sayHost() {
        let host = request.files?.paths.lazy.compactMap { NetworkName.host($0.description) }.first
        if let host { Self.say("connecting to \(host)") }
    }

    private static func say(_ text: String) {
        writeAll(Columns.printable(text) + "\n", to: STDERR_FILENO)
    }

    /// Subscribes to events: those for the live line, or all of them on the standard output; and
    /// here those for the standard error, and those that show whether there is a sound server.
    private func subscribe(_ calls: Service.Calls, isLive: Bool) {
        if isLive {
            calls.add(Subscribe(interval: LiveLine.interval.wireTime, boundaries: boundaries))
            return
        }
        calls.add(
            Subscribe(
                interval: nil,
                kinds: [
                    "application", "error", "state", "mediaServicesWereLost",
                    "mediaServicesWereReset",
                ] + (commands.isEmpty ? [] : ["item", "episode"])))
        guard !isQuiet else { return }
        calls.add(
            Subscribe(
                interval: writtenInterval, boundaries: boundaries, isWritten: true),
            descriptors: [STDOUT_FILENO])
    }

    /// The interval of time events on the standard output. A file, as with nohup, would grow by
    /// 80 MB an hour: it gets them only if they are asked for.
    private var writtenInterval: WireTime? {
        var status = stat()
        let isFile =
            unsafe fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return isJSON || isTimeForFiles || !isFile ? interval : nil
    }

    /// The server to which a newly started service connects; empty for the default one.
    private var soundServer: String? {
        guard case .pulse(let server, _, _) = request.output else { return nil }
        return server ?? ""
    }

    private var deadline: Follower.Deadline? {
        switch request.output ?? Self.usualOutput {
        case .pulse(let server, _, _), .pulseSimple(let server, _, _):
            Follower.Deadline(seconds: outputDeadline, server: server)
        case .null: nil
        }
    }

    /// The request with as many files as one message holds; the others are added afterwards.
    private var firstRequest: Play {
        var first = request
        first.files = request.files?.pieces[0]
        return first
    }
}
