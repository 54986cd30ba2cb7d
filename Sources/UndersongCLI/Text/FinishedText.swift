import CommandOptions
import Control

/// Formats the line that a played item leaves on the terminal.
enum FinishedText {
    /// `2/12  4:05  Artist - Title` for the end of an item; nil for other events.
    static func line(_ event: PlayerEvent) -> String? {
        guard case .item(let item) = event.kind, item.change == "ended" else { return nil }
        let length = item.duration.map { ClockText.text($0.seconds) + "  " } ?? ""
        let name = Columns.printable(ItemName.text(item.title, artist: item.tags?["artist"]))
        return "\(event.head.place + 1)  \(length)\(name)"
    }
}
