import ArgumentParser
import AudioIO
import AudioSession
import CommandOptions
import Dispatch
import Glibc
import Playback
import Synchronization

/// `undersong render`: writes a queue as it would be heard into a WAV file, as fast as it can.
struct Render: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Write a queue as it would be heard into a WAV file.",
        discussion: """
            FILE is what it is for play. The samples are those that play would send to the sound \
            server: gapless, with the same crossfade, rate and volume.

            Exit status: 0 when all of it was written, 1 when something could not be.
            """)

    @Argument(help: ArgumentHelp("What to render.", valueName: "file"))
    var files: [FilePath]

    @Option(name: .shortAndLong, help: "The WAV file to write, - for the standard output.")
    var output: String

    @Flag(help: "Write every event as a line of JSON to the standard output.")
    var json = false

    @OptionGroup
    var times: TimeOptions

    @OptionGroup
    var playing: PlayingOptions

    func validate() throws {
        guard playing.repeatMode ?? .off == .off, playing.single != true else {
            throw ValidationError("A queue that is rendered has an end: no --repeat, no --single.")
        }
        guard !json || output != "-" else {
            throw ValidationError("--json and -o - both want the standard output.")
        }
    }

    func run() throws {
        let signals = TerminationSignals()
        let path = output == "-" ? "/dev/stdout" : output
        let session = AudioSession(
            SessionConfiguration(
                output: .wav(path: path),
                interval: json && !times.noTime ? times.interval.time : nil,
                boundaries: json ? times.at.map(\.time) : [], settings: playing.settings.applied))
        let sink: any EventSink = json ? EventLines(complains: true) : RenderSummary(path: path)
        let writer = EventWriter(sink, isLossless: true, readerGone: endByBrokenPipe)
        session.subscribe(writer.take)
        let stoppedBy = Atomic<Int32>(0)
        Task(executorPreference: session.executor) { await session.run() }
        Task(executorPreference: session.executor) {
            let end = await session.waitForEnd()
            writer.finish()
            let number = stoppedBy.load(ordering: .relaxed)
            // Other threads still run, which exit's clean-up would meet.
            _exit(number != 0 ? 128 + number : end.failedCount > 0 ? 1 : end.exitStatus)
        }
        find(in: session)
        while true {
            let number = signals.next()
            let (isFirst, _) = stoppedBy.compareExchange(
                expected: 0, desired: number, ordering: .relaxed)
            guard isFirst else { _exit(128 + number) }
            Task(executorPreference: session.executor) { await session.stop() }
        }
    }

    private func find(in session: AudioSession) {
        DispatchQueue(label: "undersong.files").async {
            [files, start = playing.start?.time ?? .zero, end = playing.end?.time] in
            let finder = MediaFinder(files, start: start, end: end)
            let entries = finder.all()
            Task(executorPreference: session.executor) {
                for error in finder.errors { await session.report(error) }
                await session.player.append(entries)
                await session.player.play()
                if entries.isEmpty { await session.stop() }
            }
        }
    }
}

extension SessionEnd {
    /// 0 when something was heard, 69 when no sound server answers or it went away, else 1.
    fileprivate var exitStatus: Int32 {
        switch reason {
        case .outputFailed(.serverUnavailable), .outputFailed(.serverLost): 69
        case .outputFailed: 1
        case .finished, .stopped: playedCount > 0 ? 0 : 1
        }
    }
}

/// Ends as every program does whose reader has gone, so that the shell sees why.
@Sendable private func endByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
}

/// Says how much was written, once it is.
private final class RenderSummary: EventSink {
    private let path: String
    private let start = DispatchTime.now().uptimeNanoseconds
    private let seconds = Mutex(0.0)

    init(path: String) { self.path = path }

    func text(for event: SessionEvent, missed: Int) -> [UInt8] {
        switch event.kind {
        case .itemEnded(let item, let time):
            seconds.withLock {
                $0 += (time.seconds - item.start.seconds) / event.snapshot.nominalRate
            }
        case .end(let end) where end.playedCount > 0 && path != "/dev/stdout":
            let written = seconds.withLock { $0 }
            let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            let items = end.playedCount == 1 ? "1 item" : "\(end.playedCount) items"
            let speed = elapsed > 0 ? Int(written / elapsed) : 0
            return Array(
                "\(path): \(items), \(Int(written.rounded())) s, \(speed) times as fast\n".utf8)
        default: break
        }
        return []
    }

    func complaint(_ text: String) -> [UInt8] { Array("undersong: \(text)\n".utf8) }
}
