import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongControl

/// Owns the last line of a terminal while this program is in the foreground: shows the live line
/// there and messages above it. In the background it leaves the terminal to the shell.
final class Screen: HostDisplay {
    private struct State {
        var line = LiveLine()
        var isHidden = false
        var isClosed = false
        var isDrawn = false
        /// How many notes there were.
        var noteCount = 0
    }

    /// How long a note is shown.
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
