import CommandOptions
import Control
import Playback

/// The line on a terminal that shows what is heard: state, place in the queue, position, length,
/// title, reason, unusual volume and rate, and a progress bar.
struct LiveLine {
    /// The interval between updates.
    static let interval = Interval(CMTime(value: 1, timescale: 4))

    /// If there are marks, the bar is shown only beside a title of at least this many columns.
    private static let shortestTitle = 16

    private var status = "waiting"
    private var reason: String?
    private var place = 0
    private var count = 0
    private var title = ""
    /// Whether any item has started.
    private var hasBegun = false
    /// The position in seconds.
    private var position = 0.0
    /// The length in seconds, if it is known.
    private var length: Double?
    /// Unusual volume, rate and modes, as `SoundMarks` formats them.
    private var marks: [String] = []
    /// What a key has just done, in place of the title; nil for the title.
    var note: String?
    /// Why the item does not arrive from the network: `example.org: The connection was lost`.
    private var trouble: String?
    /// Whether the device is muted or at volume 0.
    private var isDeviceSilent = false

    /// Handles an event. Returns whether the line has changed.
    mutating func take(_ event: PlayerEvent) -> Bool {
        switch event.kind {
        // The reason in these events is not that of the status.
        case .error, .end, .mediaServicesWereLost, .routeChange: return false
        default: break
        }
        place = event.head.place
        status = event.head.status
        reason = event.head.reason
        switch event.kind {
        case .queue(let queue):
            count = queue.count
            // Before anything has started, the first item is shown.
            if !hasBegun, let first = queue.items.first { title = Columns.printable(first.title) }
            return false
        case .item(let item): return take(item)
        case .settings(let settings): return take(settings)
        case .time(let time): position = time.seconds
        case .state(let state):
            position = state.position.seconds
            isDeviceSilent = state.deviceSilent ?? false
        case .jump(let state): position = state.position.seconds
        case .network(let network):
            trouble = network.trouble.map { Columns.printable("\(network.host): \($0)") }
        case .metadata(let metadata): title = Columns.printable(metadata.title)
        default: return false
        }
        return true
    }

    private mutating func take(_ item: PlayerEvent.Item) -> Bool {
        if let time = item.position { position = time.seconds }
        switch item.change {
        case "began":
            hasBegun = true
            title = Columns.printable(
                ItemName.text(item.title, artist: item.tags?["artist"]))
            length = item.duration?.seconds
            return true
        case "measured":
            length = item.duration?.seconds
            return true
        default: return false
        }
    }

    private mutating func take(_ settings: PlayerEvent.Settings) -> Bool {
        let new =
            SoundMarks.marks(
                volume: (settings.volume ?? 1) * 100, isMuted: settings.muted ?? false,
                rate: settings.rate ?? 1)
            + SoundMarks.modes(
                repeat: settings.repeat, isShuffled: settings.shuffle ?? false,
                stopAfter: settings.stopAfter)
        defer { marks = new }
        return new != marks
    }

    /// The line in at most `columns`. The title and the bar are shortened before the marks.
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

    /// Title and reason. The title is shortened first.
    private func words(columns: Int) -> String {
        if let note { return Columns.fitted(note, into: columns) }
        let words = self.reason.map { ReasonText.words($0, count: count) }
        let reason =
            (status == "waiting" ? trouble ?? words : words).map {
                title.isEmpty ? "(\($0))" : " (\($0))"
            } ?? ""
        let room = columns - Columns.width(of: reason)
        guard room >= 4 else { return Columns.fitted(title + reason, into: columns) }
        return Columns.fitted(title, into: room) + reason
    }

    /// The progress bar; empty if there is no room or the length is unknown.
    private func bar(columns: Int) -> String {
        guard columns >= 60, let length, length > 0 else { return "" }
        let width = min(columns / 4, 40)
        let heard = Int(min(max(position / length, 0), 1) * Double(width))
        return String(repeating: "━", count: heard) + String(repeating: "─", count: width - heard)
    }
}
