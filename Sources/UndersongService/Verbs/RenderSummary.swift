import AudioSession
import CommandOptions
import Dispatch
import Synchronization

/// Measures how much is written, and says so once it is. Of the events it reports errors only.
final class RenderSummary: EventSink {
    let complains = true
    private let start = DispatchTime.now().uptimeNanoseconds
    private let seconds = Mutex(0.0)

    func text(for event: SessionEvent, missed: Int) -> [UInt8] {
        if case .itemEnded(let item, let time) = event.kind {
            seconds.withLock {
                $0 += (time.seconds - item.start.seconds) / event.snapshot.nominalRate
            }
        }
        return []
    }

    /// What was written into the file `name`.
    func text(of end: SessionEnd, in name: FilePath) -> [UInt8] {
        let written = seconds.withLock { $0 }
        let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        let items = end.playedCount == 1 ? "1 item" : "\(end.playedCount) items"
        let speed = elapsed > 0 ? Int(written / elapsed) : 0
        return Array(
            "\(Columns.printable(name.description)): \(items), \(Int(written.rounded())) s, \(speed) times as fast\n"
                .utf8)
    }
}
