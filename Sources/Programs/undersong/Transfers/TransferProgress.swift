import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongTransfers

/// Shows the progress of downloads: on a terminal a line each with a bar, elsewhere a line for each
/// that is over, and as JSON a line for each change.
struct TransferProgress {
    private static let barWidth = 20

    private let isTerminal: Bool
    private let isJSON: Bool
    private let clock: () -> Double
    private var order: [Int]
    private var statuses: [Int: TransferStatus] = [:]
    /// The times, in seconds, at which so many bytes had arrived.
    private var marks: [Int: (time: Double, bytes: Int64)] = [:]
    private var speeds: [Int: Double] = [:]
    private var drawnLines = 0
    /// The events that were written last.
    private var events: [Int: DownloadEvent] = [:]

    /// `clock` gives seconds.
    init(_ ids: [Int], isTerminal: Bool, isJSON: Bool, clock: @escaping () -> Double) {
        order = ids
        self.isTerminal = isTerminal && !isJSON
        self.isJSON = isJSON
        self.clock = clock
    }

    /// Applies changes, and returns what to write.
    mutating func update(_ changed: [TransferStatus], columns: Int) -> String {
        let ended = changed.filter { $0.isOver && statuses[$0.id]?.isOver != true }
        for status in changed {
            measure(status)
            statuses[status.id] = status
        }
        if isJSON { return changed.compactMap { event($0) }.joined() }
        guard isTerminal else { return ended.map { TransferText.line($0) + "\n" }.joined() }
        var text = drawnLines > 0 ? "\r\u{1B}[\(drawnLines)A" : ""
        let lines = order.compactMap { statuses[$0] }.map { line($0) }
        for line in lines { text += "\u{1B}[K\(Columns.fitted(line, into: columns))\n" }
        drawnLines = lines.count
        return text
    }

    private mutating func event(_ status: TransferStatus) -> String? {
        guard let event = DownloadEvent(status, after: events[status.id]) else { return nil }
        events[status.id] = event
        return JSONLine.text(of: event) + "\n"
    }

    private mutating func measure(_ status: TransferStatus) {
        let now = clock()
        guard status.state == .receiving else {
            speeds[status.id] = nil
            marks[status.id] = nil
            return
        }
        guard let mark = marks[status.id] else {
            marks[status.id] = (now, status.received)
            return
        }
        guard now - mark.time >= 0.5 else { return }
        speeds[status.id] = Double(max(0, status.received - mark.bytes)) / (now - mark.time)
        marks[status.id] = (now, status.received)
    }

    private func line(_ status: TransferStatus) -> String {
        guard status.state == .receiving, let total = status.total, total > 0 else {
            return TransferText.line(status)
        }
        let share = min(1, Double(status.received) / Double(total))
        let filled = Int(share * Double(Self.barWidth))
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: "-", count: Self.barWidth - filled)
        let speed = speeds[status.id].map { "  \(TransferText.size(Int64($0)))/s" } ?? ""
        return "[\(bar)] \(Int(share * 100)) %  \(TransferText.size(status.received)) of "
            + "\(TransferText.size(total))\(speed)  \(TransferText.name(status))"
    }
}
