import CUndersongCurl
import Glibc
import UndersongBase
import UndersongTransfers

/// The part of the engine that belongs to its thread.
final class StreamEngineState: EngineState {
    enum Letter: Sendable {
        case open(id: Int, OpenStream, file: Int32)
        case want(id: Int, from: Int64, until: Int64)
        case close(id: Int)
    }

    private let multi: CURLMulti
    private let settings: StreamEngine.Settings
    private let clock: any HostClock
    private let report: @Sendable (_ id: Int, StreamReport) -> Void
    private var streams: [Int: StreamTransfer] = [:]

    init(
        _ multi: CURLMulti, _ settings: StreamEngine.Settings, _ clock: any HostClock,
        _ report: @escaping @Sendable (_ id: Int, StreamReport) -> Void
    ) {
        self.multi = multi
        self.settings = settings
        self.clock = clock
        self.report = report
    }

    var isIdle: Bool { streams.isEmpty }

    func receive(_ letter: Letter) {
        switch letter {
        case .open(let id, let call, let file):
            streams[id] = StreamTransfer(call, StreamFile(file), multi, settings, clock) {
                [report] in report(id, $0)
            }
        case .want(let id, let from, let until):
            streams[id]?.shell.handle(.want(from: from, until: until))
        case .close(let id): streams.removeValue(forKey: id)?.close()
        }
    }

    func advance() -> Due {
        var due = Due.never
        for stream in streams.values { due.limit(to: stream.advance()) }
        return due
    }
}
