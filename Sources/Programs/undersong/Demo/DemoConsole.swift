import UndersongCommandOptions
import UndersongDemoScreen

/// The console of `undersong demo`: the newest lines, and those that are shown.
struct DemoConsole: Equatable {
    /// A line of the app, or of the phone about the app.
    struct Line: Equatable {
        /// The source of a line.
        enum Source: Equatable {
            /// The app, about one of its tabs or none.
            case app(DemoTab?)
            case phone
            /// The phone, about something that could not be done.
            case problem
        }

        var source: Source
        var text: String
    }

    /// The maximum number of lines that are kept.
    static let limit = 1000

    private(set) var lines: [Line] = []
    /// The number of newest lines below those that are shown.
    private(set) var offset = 0

    /// Adds a line. Lines that the user has scrolled back to are still shown.
    mutating func add(_ text: String, from source: Line.Source) {
        lines.append(Line(source: source, text: Columns.printable(text)))
        if offset > 0 { offset += 1 }
        if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
        offset = min(offset, lines.count - 1)
    }

    /// Scrolls by this many lines, back if it is negative, where `height` of them are shown.
    mutating func scroll(by distance: Int, height: Int) {
        offset = min(max(offset - distance, 0), max(lines.count - height, 0))
    }

    /// The lines that are shown in this many rows, newest last.
    func shown(rows: Int) -> ArraySlice<Line> {
        let end = lines.count - min(offset, max(lines.count - rows, 0))
        return lines[max(end - max(rows, 0), 0)..<end]
    }
}
