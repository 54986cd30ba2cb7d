import Control

/// The queue as people read it: `> 2  4:05  Second Song`.
enum QueueText {
    /// A line for each item, with the place by which the verbs name it.
    static func list(_ queue: QueueList) -> String {
        guard !queue.items.isEmpty else { return "the queue is empty" }
        let lengths = queue.items.map(length)
        let lengthWidth = lengths.map(\.count).max() ?? 0
        let placeWidth = String(queue.items.count).count
        let hasFinished = queue.items.contains { $0.finished == true }
        return queue.items.enumerated().map { index, item in
            let mark = item.id == queue.current ? ">" : " "
            let place = leading(String(index + 1), placeWidth)
            let finished = hasFinished ? (item.finished == true ? " ✓" : "  ") : ""
            let length = lengthWidth > 0 ? leading(lengths[index], lengthWidth) + "  " : ""
            return "\(mark) \(place)\(finished)  \(length)\(Columns.printable(item.title))"
        }.joined(separator: "\n")
    }

    /// `4:05`, and `35:00 / 1:01:01` for a long item that was left there.
    private static func length(_ item: QueueEntry) -> String {
        let length = item.duration.map { ClockText.text($0) }
        guard let resume = item.resume else { return length ?? "" }
        return ClockText.text(resume) + (length.map { " / \($0)" } ?? "")
    }

    private static func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
