import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// The panel beside the list in a wide terminal: the output, the format and the chapters of what
/// plays.
struct ItemPanel: Equatable {
    /// Its columns, with the line before it.
    static let width = 39
    /// A row of it with nothing in it.
    static let empty = " │ "

    private var item: GetItem.Reply?
    private var outputs: Outputs?

    mutating func show(_ item: GetItem.Reply) { self.item = item }
    mutating func show(_ outputs: Outputs) { self.outputs = outputs }

    /// The rows at a position in seconds; the current chapter is among them.
    func lines(at position: Double, rows: Int) -> [String] {
        let facts = (output.map { [$0] } ?? []) + format
        let room = rows - facts.count - 2
        let list = room > 0 ? chapters(at: position, rows: room) : []
        let all = facts + (list.isEmpty ? [] : ["", "Chapters"] + list)
        return (0..<max(rows, 0)).map { row in
            Columns.fitted(Self.empty + (row < all.count ? all[row] : ""), into: Self.width)
        }
    }

    private var output: String? {
        guard let outputs else { return nil }
        let name = outputs.isLost ? "no sound server" : outputs.current.map(OutputText.name)
        return "Output  " + (name ?? "no device")
    }

    /// One row, or two where one is too narrow.
    private var format: [String] {
        guard let format = item?.format else { return [] }
        let channels = [1: "mono", 2: "stereo"][format.channels] ?? "\(format.channels) channels"
        let encoding = "Format  " + Columns.printable(format.encoding)
        let sound = "\(numberText(Double(format.sampleRate) / 1000)) kHz \(channels)"
        let row = "\(encoding), \(sound)"
        return Columns.width(of: Self.empty + row) <= Self.width
            ? [row] : [encoding, "        " + sound]
    }

    private func chapters(at position: Double, rows: Int) -> [String] {
        let chapters = item?.chapters ?? []
        let current = chapters.lastIndex { $0.start.seconds <= position }
        let first = min(max((current ?? 0) - rows / 2, 0), max(chapters.count - rows, 0))
        let width = chapters.last.map { ClockText.text($0.start.seconds).count } ?? 0
        return chapters.indices.dropFirst(first).prefix(rows).map { index in
            let start = Columns.trailing(
                ClockText.text(chapters[index].start.seconds), to: width)
            let title = chapters[index].title.map { Columns.printable($0) } ?? "\(index + 1)"
            return "\(index == current ? ">" : " ") \(start)  \(title)"
        }
    }
}
