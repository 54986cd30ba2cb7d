import CommandOptions
import Control
import Playback

/// The line that shows on a terminal what is heard: state, place in the queue, position, length,
/// title, reason, what of loudness and speed is not as usual, and a progress bar.
struct LiveLine {
    /// Seconds between two updates.
    static let interval = Interval(CMTime(value: 1, timescale: 4))

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
        switch event.kind {
        // Their reason is another thing than that of the status.
        case .error, .end, .mediaServicesWereLost, .routeChange: return false
        default: break
        }
        place = event.head.place
        status = event.head.status
        reason = event.head.reason
        switch event.kind {
        case .queue(let queue):
            count = queue.count
            // What comes first has not begun yet where nothing has.
            if !hasBegun, let first = queue.items.first { title = Columns.printable(first.title) }
            return false
        case .item(let item): return take(item)
        case .settings(let settings): return take(settings)
        case .time(let time): position = time.seconds
        case .state(let state):
            position = state.position.seconds
            isDeviceSilent = state.deviceSilent ?? false
        case .jump(let state): position = state.position.seconds
        default: return false
        }
        return true
    }

    private mutating func take(_ item: PlayerEvent.Item) -> Bool {
        if let time = item.position { position = time.seconds }
        switch item.change {
        case "began":
            hasBegun = true
            title = Columns.printable(item.title)
            length = item.duration?.seconds
            return true
        case "measured":
            length = item.duration?.seconds
            return true
        default: return false
        }
    }

    private mutating func take(_ settings: PlayerEvent.Settings) -> Bool {
        let new = SoundMarks.marks(
            volume: (settings.volume ?? 1) * 100, isMuted: settings.muted ?? false,
            rate: settings.rate ?? 1)
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
