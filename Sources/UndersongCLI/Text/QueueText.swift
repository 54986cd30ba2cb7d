import Control

/// The queue as people read it: `> 2  4:05  Second Song`.
enum QueueText {
    /// A line for each item, with the place by which the verbs name it, and one that says how many
    /// more there are.
    static func list(_ queue: QueueList) -> String {
        guard queue.count > 0 else { return "the queue is empty" }
        let rest = queue.count - queue.offset - queue.items.count
        return (lines(queue) + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
    }

    /// A line for each item of a part of the queue.
    static func lines(_ queue: QueueList) -> [String] {
        let lengths = queue.items.map(length)
        let lengthWidth = lengths.map(\.count).max() ?? 0
        let placeWidth = String(queue.count).count
        return queue.items.enumerated().map { index, item in
            let mark = item.id == queue.current ? ">" : " "
            let place = leading(String(queue.offset + index + 1), placeWidth)
            let length = lengthWidth > 0 ? leading(lengths[index], lengthWidth) + "  " : ""
            return "\(mark) \(place)  \(length)\(Columns.printable(item.title))"
        }
    }

    /// So many items, in words.
    static func count(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    /// How long is played of an item, where that is known.
    private static func length(_ item: QueueEntry) -> String {
        let end = [item.end, item.duration].compactMap { $0?.seconds }.min()
        return end.map { ClockText.text($0 - (item.start?.seconds ?? 0)) } ?? ""
    }

    private static func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
