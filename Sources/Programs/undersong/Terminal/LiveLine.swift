import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// The line on a terminal that shows what is heard: state, place in the queue, position, length,
/// title, reason, unusual volume and rate, and a progress bar.
struct LiveLine {
    /// The interval between updates.
    static let interval = Interval(CMTime(value: 1, timescale: 4))

    /// If there are marks, the bar is shown only beside a title of at least this many columns.
    private static let shortestTitle = 16

    private var playing = NowPlaying()
    /// What a key has just done, in place of the title; nil for the title.
    var note: String?

    /// Handles an event. Returns whether the line has changed.
    mutating func apply(_ event: PlayerEvent) -> Bool { playing.apply(event) }

    /// The line in at most `columns`. The title and the bar are shortened before the marks.
    func text(columns: Int) -> String {
        let start = "\(playing.start)  \(times)"
        let marks = playing.marks
        let end = marks.map { "  " + $0 }.joined()
        let rest = columns - Columns.width(of: start) - 2 - Columns.width(of: end)
        var bar = bar(columns: columns)
        if !marks.isEmpty, rest - bar.count - 2 < Self.shortestTitle { bar = "" }
        let room = rest - (bar.isEmpty ? 0 : bar.count + 2)
        guard room >= 4 else { return Columns.fitted(start + end, into: columns) }
        let words = note.map { Columns.fitted($0, into: room) } ?? playing.words(columns: room)
        guard !bar.isEmpty else { return start + "  " + words + end }
        let gap = String(repeating: " ", count: room - Columns.width(of: words))
        return "\(start)  \(words)\(gap)\(end)  \(bar)"
    }

    private var times: String {
        playing.positionText + (playing.lengthText.map { " / \($0)" } ?? "")
    }

    /// The progress bar; empty if there is no room or the length is unknown.
    private func bar(columns: Int) -> String {
        columns >= 60 ? playing.bar(columns: min(columns / 4, 40)) : ""
    }
}
