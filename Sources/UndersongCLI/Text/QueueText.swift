import Control

/// The queue as people read it: `> 2  4:05  Second Song`.
enum QueueText {
    /// A line for each item, with the place by which the verbs name it.
    static func list(_ queue: QueueList) -> String {
        guard !queue.items.isEmpty else { return "the queue is empty" }
        let lengths = queue.items.map { $0.duration.map { ClockText.text($0) } ?? "" }
        let lengthWidth = lengths.map(\.count).max() ?? 0
        let placeWidth = String(queue.items.count).count
        return queue.items.enumerated().map { index, item in
            let mark = item.id == queue.current ? ">" : " "
            let place = leading(String(index + 1), placeWidth)
            let length = lengthWidth > 0 ? leading(lengths[index], lengthWidth) + "  " : ""
            return "\(mark) \(place)  \(length)\(Columns.printable(item.title))"
        }.joined(separator: "\n")
    }

    private static func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
