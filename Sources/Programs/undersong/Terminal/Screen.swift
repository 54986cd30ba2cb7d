import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongCommandOptions
import UndersongPlayback

/// Owns the last line of a terminal while this program is in the foreground: shows the live line
/// there and messages above it. In the background it leaves the terminal to the shell.
final class Screen: HostDisplay {
    private struct State {
        var line = LiveLine()
        var isHidden = false
        var isClosed = false
        var isDrawn = false
        /// The number of notes so far.
        var noteCount = 0
    }

    /// The time for which a note is shown.
    private static let noteTime = DispatchTimeInterval.seconds(2)

    private static let clear = "\r\u{1B}[K"
    /// Clears the line, and the rows below into which a narrower terminal has wrapped it.
    private static let clearAll = "\r\u{1B}[J"

    private let terminal: HostTerminal
    private let state = Mutex(State())
    /// Makes the thread that holds the lock redraw the line before it returns.
    private let wantsRedraw = Atomic(false)

    init(_ terminal: HostTerminal) { self.terminal = terminal }

    /// Handles an event, and redraws the line if it has changed.
    func handle(_ event: PlayerEvent) {
        change { state in
            if state.line.apply(event) { draw(&state) }
        }
    }

    /// Redraws the line after a change of the terminal's width. If another thread is drawing, which
    /// blocks while the output is stopped, that thread does it.
    func redraw() {
        wantsRedraw.store(true, ordering: .sequentiallyConsistent)
        _ = state.withLockIfAvailable { state in
            let isWanted = wantsRedraw.exchange(false, ordering: .sequentiallyConsistent)
            guard isWanted, state.isDrawn, !state.isHidden, terminal.isForeground else { return }
            write(Self.clearAll)
            draw(&state)
        }
    }

    /// Shows `note` in the line for two seconds, in place of the title.
    func note(_ note: String) {
        change { state in
            state.noteCount += 1
            state.line.note = note
            if state.isDrawn { draw(&state) }
            let number = state.noteCount
            DispatchQueue(label: "undersong.note").asyncAfter(deadline: .now() + Self.noteTime) {
                [weak self] in self?.endNote(number)
            }
        }
    }

    private func endNote(_ number: Int) {
        change { state in
            guard state.noteCount == number else { return }
            state.line.note = nil
            if state.isDrawn { draw(&state) }
        }
    }

    /// Writes `lines` above the live line.
    func say(_ lines: [String], to descriptor: Int32 = STDOUT_FILENO) {
        change { state in
            let isOurs = !state.isHidden && terminal.isForeground
            if isOurs && state.isDrawn { write(Self.clear) }
            writeAll(lines.map { $0 + "\n" }.joined(), to: descriptor)
            if isOurs && state.isDrawn { draw(&state) }
        }
    }

    /// Hides the line until `show`.
    func hide() {
        change { state in
            erase(&state)
            state.isHidden = true
        }
    }

    /// True from `hide` to `show`.
    var isHidden: Bool { state.withLock(\.isHidden) }

    /// Shows the line again.
    func show() {
        change { state in
            state.isHidden = false
            draw(&state)
        }
    }

    /// Removes the line for good. Does not wait for a terminal that accepts no output now.
    func close() {
        _ = state.withLockIfAvailable { state in
            erase(&state)
            state.isClosed = true
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        if wantsRedraw.load(ordering: .sequentiallyConsistent) { redraw() }
    }

    private func erase(_ state: inout State) {
        if state.isDrawn, !state.isHidden, terminal.isForeground { write(Self.clear) }
        state.isDrawn = false
    }

    private func draw(_ state: inout State) {
        guard !state.isHidden, !state.isClosed, terminal.isForeground else { return }
        // The cursor is left in the line's first column. A terminal that wraps the line for a new
        // width keeps it there, so everything to clear is at or below the cursor.
        write("\r" + state.line.text(columns: Self.columns) + "\u{1B}[K\r")
        state.isDrawn = true
    }

    /// The number of columns to use: all but the last, after which some terminals wrap at once.
    static var columns: Int {
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size.ws_col > 1 ? Int(size.ws_col) - 1 : 79
    }

    private func write(_ text: String) { writeAll(text, to: STDOUT_FILENO) }
}

/// The line on a terminal that shows what is heard: state, place in the queue, position, length,
/// title, reason, unusual volume and rate, and a progress bar.
struct LiveLine {
    /// The interval between updates.
    static let interval = Interval(CMTime(value: 1, timescale: 4))

    /// The least columns of a title beside which the bar is shown when there are marks.
    private static let shortestTitle = 16

    private var playing = NowPlaying()
    /// The note on what a key has just done, in place of the title; nil for the title.
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
