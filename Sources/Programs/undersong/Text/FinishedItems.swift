import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Formats the lines that played items leave on the terminal.
struct FinishedItems {
    /// The artists of the items that have begun, by item.
    private var artists: [ItemID: String] = [:]

    /// Handles an event, and returns `2/12  4:05  Artist - Title` if it is the end of an item.
    mutating func handle(_ event: PlayerEvent) -> String? {
        guard case .item(let change) = event.kind else { return nil }
        switch change {
        case .began(let item, let description): artists[item.id] = description?.tags["artist"]
        case .left(let item, _): artists[item.id] = nil
        case .ended(let item, _):
            let length = item.facts?.duration.map { ClockText.text($0.seconds) + "  " } ?? ""
            let name = ItemName.text(
                item.displayTitle, artist: artists.removeValue(forKey: item.id))
            return "\(event.head.place + 1)  \(length)\(Columns.printable(name))"
        case .measured: break
        }
        return nil
    }
}
