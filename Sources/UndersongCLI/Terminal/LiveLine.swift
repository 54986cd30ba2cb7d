import CommandOptions
import Control
import Playback

/// The line that shows on a terminal what is heard: state, place in the queue, position, length,
/// title, reason, what of loudness and speed is not as usual, and a progress bar.
struct LiveLine {
    /// Seconds between two updates.
    static let interval = Interval(CMTime(value: 1, timescale: 4))

    /// Events of which `reason` is another thing than that of `status`.
    private static let passed: Set = ["error", "end", "mediaServicesWereLost", "routeChange"]

    /// Where there are marks there is a bar only beside a title of so many columns.
    private static let shortestTitle = 16

    private var status = "waiting"
    private var reason: String?
    private var place = 0
    private var count = 0
    private var title = ""
    /// Whether an item has begun to be heard.
    private var hasBegun = false
    /// Seconds.
    private var position = 0.0
    /// Seconds, where it is known.
    private var length: Double?
    /// What of loudness and speed is not as usual.
    private var marks: [String] = []
    /// Whether the device lets nothing be heard.
    private var isDeviceSilent = false

    /// Takes an event in. Returns whether there is something new to show.
    mutating func take(_ event: PlayerEvent) -> Bool {
        if Self.passed.contains(event.event) { return false }
        place = event.place ?? place
        if let new = event.status {
            status = new
            reason = event.reason
        }
        if let time = event.time { position = time }
        if event.event == "state" { isDeviceSilent = event.deviceSilent ?? false }
        switch event.event {
        case "queue":
            count = event.count ?? count
            // What comes first has not begun yet where nothing has.
            if !hasBegun, let first = event.items?.first { title = Columns.printable(first.title) }
            return false
        case "item": return take(item: event)
        case "settings": return take(settings: event)
        case "time", "state", "jump": return true
        default: return false
        }
    }

    private mutating func take(item event: PlayerEvent) -> Bool {
        switch event.change {
        case "began":
            hasBegun = true
            title = Columns.printable(event.title ?? "")
            length = event.duration?.seconds
            return true
        case "measured":
            length = event.duration?.seconds
            return true
        default: return false
        }
    }

    private mutating func take(settings event: PlayerEvent) -> Bool {
        let new = SoundMarks.marks(
            volume: (event.volume ?? 1) * 100, isMuted: event.muted ?? false,
            rate: event.rate ?? 1)
        defer { marks = new }
        return new != marks
    }

    /// The line, which takes `columns` at most. The marks stay longer than the title and the bar.
    func text(columns: Int) -> String {
        let start = "\(StatusText.symbol(status)) \(place + 1)/\(count)  \(times)"
        let marks = marks + (isDeviceSilent ? [SoundMarks.deviceSilent] : [])
        let end = marks.map { "  " + $0 }.joined()
        let rest = columns - Columns.width(of: start) - 2 - Columns.width(of: end)
        var bar = bar(columns: columns)
        if !marks.isEmpty, rest - bar.count - 2 < Self.shortestTitle { bar = "" }
        let room = rest - (bar.isEmpty ? 0 : bar.count + 2)
        guard room >= 4 else { return Columns.fitted(start + end, into: columns) }
        let words = words(columns: room)
        guard !bar.isEmpty else { return start + "  " + words + end }
        let gap = String(repeating: " ", count: room - Columns.width(of: words))
        return "\(start)  \(words)\(gap)\(end)  \(bar)"
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
