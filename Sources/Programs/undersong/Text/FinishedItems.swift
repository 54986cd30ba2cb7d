import UndersongCommandOptions
import UndersongControl

/// Formats the lines that played items leave on the terminal.
struct FinishedItems {
    /// The artists of the items that have begun, by item.
    private var artists: [Int: String] = [:]

    /// Takes an event, and returns `2/12  4:05  Artist - Title` if it is the end of an item.
    mutating func take(_ event: PlayerEvent) -> String? {
        guard case .item(let item) = event.kind, let id = event.head.item else { return nil }
        switch item.change {
        case "began": artists[id] = item.tags?["artist"]
        case "left": artists[id] = nil
        case "ended":
            let length = item.duration.map { ClockText.text($0.seconds) + "  " } ?? ""
            let name = ItemName.text(item.title, artist: artists.removeValue(forKey: id))
            return "\(event.head.place + 1)  \(length)\(Columns.printable(name))"
        default: break
        }
        return nil
    }
}
