import ArgumentParser
import AudioIO
import AudioSession
import Background
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
    var files: [String]

    @Option(name: .shortAndLong, help: "The WAV file to write, - for the standard output.")
    var output: String

    @Flag(help: "Write every event as a line of JSON to the standard output.")
    var json = false

    @OptionGroup
    var playing: PlayingOptions

    func validate() throws {
        guard playing.repeatMode == .off, !playing.single else {
            throw ValidationError("A queue that is rendered has an end: no --repeat, no --single.")
        }
        guard !json || output != "-" else {
            throw ValidationError("--json and -o - both want the standard output.")
        }
    }

    func run() throws {
        let signals = HostSignals()
        let path = output == "-" ? "/dev/stdout" : output
        let session = AudioSession(
            SessionConfiguration(output: .wav(path: path), settings: playing.settings))
        let sink: any EventSink = json ? EventLines() : RenderSummary(path: path)
        let writer = EventWriter(sink, isLossless: true)
        let host = Host(
            session, terminal: HostTerminal(option: .active), writer: writer, keyboard: nil)
        session.subscribe { event in
            writer.take(event)
            host.follow(event)
        }
        Task(executorPreference: session.executor) { await session.run() }
        Task(executorPreference: session.executor) {
            let end = await session.waitForEnd()
            writer.finish()
            let status = host.exitStatus(of: end)
            host.leave(status == 0 && end.failedCount > 0 ? 1 : status)
        }
        Play.find(files, playing, in: session)
        host.follow(signals)
    }
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
