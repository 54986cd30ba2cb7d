import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// The panel beside the list in a wide terminal: the output, the format and the chapters of what
/// plays.
struct ItemPanel: Equatable {
    private typealias Row = ListView.Row

    private var item: GetItem.Reply?
    private var outputs: Outputs?

    mutating func show(_ item: GetItem.Reply) { self.item = item }
    mutating func show(_ outputs: Outputs) { self.outputs = outputs }

    /// Draws it for a position in seconds; the current chapter is among the rows.
    func draw(on canvas: inout Canvas, in area: Rectangle, at position: Double) {
        let facts = (output.map { [Row(text: $0)] } ?? []) + format(columns: area.columns)
        let room = area.rows - facts.count - 2
        let list = room > 0 ? chapters(at: position, rows: room) : []
        let title = [Row(text: ""), Row(text: "Chapters", style: .dim)]
        let rows = facts + (list.isEmpty ? [] : title + list)
        canvas.draw(ListView(rows: rows), in: area)
    }

    private var output: String? {
        guard let outputs else { return nil }
        let name = outputs.isLost ? "no sound server" : outputs.current.map(OutputText.name)
        return "Output  " + (name ?? "no device")
    }

    /// One row, or two where one is too narrow.
    private func format(columns: Int) -> [Row] {
        guard let format = item?.format else { return [] }
        let channels = [1: "mono", 2: "stereo"][format.channels] ?? "\(format.channels) channels"
        let encoding = "Format  " + Columns.printable(format.encoding)
        let sound = "\(numberText(Double(format.sampleRate) / 1000)) kHz \(channels)"
        let row = "\(encoding), \(sound)"
        let texts = Columns.width(of: row) <= columns ? [row] : [encoding, "        " + sound]
        return texts.map { Row(text: $0) }
    }

    private func chapters(at position: Double, rows: Int) -> [Row] {
        let chapters = item?.chapters ?? []
        let current = chapters.lastIndex { $0.start.seconds <= position }
        let first = min(max((current ?? 0) - rows / 2, 0), max(chapters.count - rows, 0))
        let width = chapters.last.map { ClockText.text($0.start.seconds).count } ?? 0
        return chapters.indices.dropFirst(first).prefix(rows).map { index in
            let start = Columns.trailing(
                ClockText.text(chapters[index].start.seconds), to: width)
            let title = chapters[index].title.map { Columns.printable($0) } ?? "\(index + 1)"
            let isCurrent = index == current
            return Row(
                text: "\(isCurrent ? ">" : " ") \(start)  \(title)",
                style: isCurrent ? .coloured(.green, isBold: true) : .plain)
        }
    }
}
