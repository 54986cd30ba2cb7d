import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// `undersong render`: writes a queue to a WAV file as it would be heard, as fast as possible.
struct Render: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Render a queue to a WAV file, as it would be heard.",
        discussion: """
            FILE is the same as for play. The samples are those that play would send to the sound \
            server: gapless, with the same crossfade, rate and volume.

            Files that cannot be played are reported and left out. The file appears once everything is \
            written. None appears if nothing could be played or the output failed, nor after \
            SIGINT, SIGTERM or SIGHUP; a file that --force would have replaced is then kept. A \
            pipe or a device is written as it is decoded.

            Exit status: 0 if everything was written, 1 if something could not be, 64 if the \
            output is one of the inputs, or exists and --force is not given.
            """)

    @Argument(help: ArgumentHelp("The files to render.", valueName: "file"))
    var files: [FilePath]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write, such as out.wav, or - for standard output.", valueName: "file"))
    var output: FilePath

    @Flag(help: "Replace an existing output file.")
    var force = false

    @Flag(help: "Write every event as a line of JSON to standard output.")
    var json = false

    @OptionGroup
    var times: TimeOptions

    @OptionGroup
    var playing: PlayingOptions

    private var isToStandardOutput: Bool { output == .standardStream }

    func validate() throws {
        let change = playing.settings
        guard change.repeat ?? .off == .off, change.single != true else {
            throw ValidationError("A rendered queue has to end: do not use --repeat or --single.")
        }
        guard !json || !isToStandardOutput else {
            throw ValidationError("--json and -o - both need the standard output.")
        }
        guard !RenderPlace(output).takesNewFile || output.description.lowercased().hasSuffix(".wav")
        else {
            throw ValidationError("The output is a WAV file: --output must end in .wav.")
        }
    }

    func run() throws {
        var named = self
        named.files = try local(files)
        try named.render()
    }

    private func render() throws {
        let signals = TerminationSignals(hangUpEnds: true)
        let target = try makeTarget()
        var settings = PlayerSettings()
        playing.settings.apply(to: &settings)
        let session = AudioSession(
            SessionConfiguration(
                output: .wav(path: target.path),
                interval: json ? times.usedInterval?.time : nil,
                boundaries: json ? times.at.map(\.time) : [], settings: settings))
        let summary = RenderSummary(by: SystemClock())
        let sink: any EventSink = json ? EventLines(complains: true) : summary
        let writer = EventWriter(sink, isLossless: true) { code in
            target.discard()
            endByOutputFailure(code)
        }
        session.subscribe { event in
            if event.isOfBrokenPipe {
                writer.finish()
                target.discard()
                endByBrokenPipe()
            }
            writer.receive(target.named(event))
        }
        let stoppedBy = Atomic<Int32>(0)
        Task(executorPreference: session.executor) { await session.run() }
        Task(executorPreference: session.executor) {
            let end = await session.waitForEnd()
            writer.finish()
            let number = stoppedBy.load(ordering: .relaxed)
            // Other threads are still running, and the clean-up of `exit` would interfere with
            // them.
            _exit(number != 0 ? leave(128 + number, target) : close(target, end, summary))
        }
        find(in: session, target)
        while true {
            let number = signals.next()
            let (isFirst, _) = stoppedBy.compareExchange(
                expected: 0, desired: number, ordering: .relaxed)
            guard isFirst else { _exit(leave(128 + number, target)) }
            Task(executorPreference: session.executor) { await session.stop() }
        }
    }

    /// Creates the target, unless what exists must not be replaced.
    private func makeTarget() throws -> RenderTarget {
        let place = RenderPlace(output)
        if place.isOne(of: files) { throw refuse(.isInput) }
        if place.takesNewFile, place.isTaken, !force { throw refuse(.isTaken) }
        do {
            return try RenderTarget(place, replaces: force)
        } catch {
            complain(error.description)
            throw ExitCode(1)
        }
    }

    /// A reason why an output may not be written.
    private enum Refusal: String {
        case isInput = "It is one of the inputs"
        case isTaken = "It exists; --force replaces it"
    }

    private func refuse(_ reason: Refusal) -> ExitCode {
        complain(
            "cannot write \(isToStandardOutput ? "the standard output" : output): \(reason.rawValue)"
        )
        return ExitCode(64)
    }

    private func find(in session: AudioSession, _ target: RenderTarget) {
        DispatchQueue(label: "undersong.files").async {
            [self, start = playing.start?.time ?? .zero, end = playing.end?.time] in
            let finder = MediaFinder(files, start: start, end: end)
            let entries = finder.all()
            if RenderPlace(output).isOne(of: entries, or: finder.playlists) {
                _exit(leave(refuse(.isInput).rawValue, target))
            }
            Task(executorPreference: session.executor) {
                for error in finder.errors {
                    await session.report(.error(SessionFailure(error, item: nil)))
                }
                await session.player.append(entries)
                await session.player.play()
                if entries.isEmpty { await session.stop() }
            }
        }
    }

    /// Moves the output to its destination if anything was heard. Returns the exit status.
    private func close(
        _ target: RenderTarget, _ end: SessionEnd, _ summary: RenderSummary
    ) -> Int32 {
        guard end.reason == .finished, end.playedCount > 0 else {
            return leave(end.failedCount > 0 ? 1 : end.exitStatus, target)
        }
        do {
            try target.commit()
        } catch {
            complain(error.description)
            return 1
        }
        let isSaid = !json && !RenderPlace(output).isStandardOutput
        if isSaid { writeOutput(summary.text(of: end, in: output)) }
        return end.failedCount > 0 ? 1 : end.exitStatus
    }

    /// Discards the output. Returns `status`.
    private func leave(_ status: Int32, _ target: RenderTarget) -> Int32 {
        target.discard()
        return status
    }
}

extension SessionEnd {
    /// 0 if something was heard, 69 if no sound server answers or it went away, otherwise 1.
    fileprivate var exitStatus: Int32 {
        switch reason {
        case .outputFailed(.serverUnavailable), .outputFailed(.serverLost): 69
        case .outputFailed: 1
        case .finished, .stopped: playedCount > 0 ? 0 : 1
        }
    }
}

extension PlayerEvent {
    /// True if the reader of a pipe has gone.
    fileprivate var isOfBrokenPipe: Bool {
        guard case .error(let failure) = kind else { return false }
        return failure.code == OutputError.Code.readerGone.rawValue
    }
}
