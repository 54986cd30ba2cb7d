import CommandOptions
import Control
import Playback

/// The line that shows on a terminal what is heard: state, place in the queue, position, length,
/// title, reason and a progress bar.
struct LiveLine {
    /// Seconds between two updates.
    static let interval = Interval(CMTime(value: 1, timescale: 4))

    /// Events of which `reason` is another thing than that of `status`.
    private static let passed: Set = ["error", "end", "mediaServicesWereLost", "routeChange"]

    private var status = "waiting"
    private var reason: String?
    private var place = 0
    private var count = 0
    private var title = ""
    /// Seconds.
    private var position = 0.0
    /// Seconds, where it is known.
    private var length: Double?

    /// Takes an event in. Returns whether there is something new to show.
    mutating func take(_ event: PlayerEvent) -> Bool {
        if Self.passed.contains(event.event) { return false }
        place = event.place ?? place
        if let new = event.status {
            status = new
            reason = event.reason
        }
        if let time = event.time { position = time }
        switch event.event {
        case "queue":
            count = event.count ?? count
            return false
        case "item": return take(item: event)
        case "time", "state", "jump": return true
        default: return false
        }
    }

    private mutating func take(item event: PlayerEvent) -> Bool {
        switch event.change {
        case "began":
            title = Columns.printable(event.tags?["title"] ?? event.title ?? "")
            length = event.duration?.seconds
            return true
        case "measured":
            length = event.duration?.seconds
            return true
        default: return false
        }
    }

    /// The line, which takes `columns` at most.
    func text(columns: Int) -> String {
        let start = "\(StatusText.symbol(status)) \(place + 1)/\(count)  \(times)"
        let bar = bar(columns: columns)
        let room = columns - Columns.width(of: start) - 2 - (bar.isEmpty ? 0 : bar.count + 2)
        guard room >= 4 else { return Columns.fitted(start, into: columns) }
        let words = words(columns: room)
        guard !bar.isEmpty else { return start + "  " + words }
        let gap = String(repeating: " ", count: room - Columns.width(of: words))
        return "\(start)  \(words)\(gap)  \(bar)"
    }

    private var times: String {
        ClockText.text(position) + (length.map { " / \(ClockText.text($0))" } ?? "")
    }

    /// Title and reason, of which the reason stays longer.
    private func words(columns: Int) -> String {
        let reason = reason.map { title.isEmpty ? "(\($0))" : " (\($0))" } ?? ""
        let room = columns - Columns.width(of: reason)
        guard room >= 4 else { return Columns.fitted(title + reason, into: columns) }
        return Columns.fitted(title, into: room) + reason
    }

    /// As much of a bar as the item has been heard; nothing where there is no room or no length.
    private func bar(columns: Int) -> String {
        guard columns >= 60, let length, length > 0 else { return "" }
        let width = min(columns / 4, 40)
        let heard = Int(min(max(position / length, 0), 1) * Double(width))
        return String(repeating: "━", count: heard) + String(repeating: "─", count: width - heard)
    }
}
