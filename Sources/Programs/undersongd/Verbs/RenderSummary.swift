import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Measures what is written and summarizes it at the end. Of the events it reports only errors.
final class RenderSummary: EventSink {
    let complains = true
    private let clock: any HostClock
    private let start: Int64
    private let seconds = Mutex(0.0)

    init(by clock: any HostClock) {
        self.clock = clock
        start = clock.now
    }

    func text(for event: PlayerEvent) -> [UInt8] {
        if case .item(.ended(let item, let time)) = event.kind {
            seconds.withLock {
                $0 += (time.seconds - item.start.seconds) / event.head.nominalRate
            }
        }
        return []
    }

    /// The summary of what was written to the file `name`.
    func text(of end: SessionEnd, in name: FilePath) -> [UInt8] {
        let written = seconds.withLock { $0 }
        let elapsed = Double(clock.now - start) / 1e9
        let items = end.playedCount == 1 ? "1 item" : "\(end.playedCount) items"
        let speed = elapsed > 0 ? Int(written / elapsed) : 0
        return Array(
            "\(Columns.printable(name.description)): \(items), \(Int(written.rounded())) s, \(speed) times faster than real time\n"
                .utf8)
    }
}
