import Control
import Glibc
import Synchronization

/// Owns the last line of a terminal while this program is in its foreground: there the live line is
/// drawn, and above it what has to be said. In the background it leaves the terminal to the shell.
final class Screen: Sendable {
    private struct State {
        var line = LiveLine()
        var isHidden = false
        var isClosed = false
        var isDrawn = false
    }

    private static let clear = "\r\u{1B}[K"
    /// Clears what a narrower terminal has made of the line too: it continues in the rows below.
    private static let clearAll = "\r\u{1B}[J"

    private let terminal: HostTerminal
    private let state = Mutex(State())
    /// The thread that has the state draws the line again before it is done.
    private let wantsRedraw = Atomic(false)

    init(_ terminal: HostTerminal) { self.terminal = terminal }

    /// Takes an event in, and shows what it changes.
    func take(_ event: PlayerEvent) {
        change { state in
            if state.line.take(event) { draw(&state) }
        }
    }

    /// Draws the line again, since the terminal has another width. While it is being drawn, which may
    /// take as long as somebody has stopped the output, that is left to who draws it.
    func redraw() {
        wantsRedraw.store(true, ordering: .sequentiallyConsistent)
        _ = state.withLockIfAvailable { state in
            let isWanted = wantsRedraw.exchange(false, ordering: .sequentiallyConsistent)
            guard isWanted, state.isDrawn, !state.isHidden, terminal.isForeground else { return }
            write(Self.clearAll)
            draw(&state)
        }
    }

    /// Says `lines` above the line.
    func say(_ lines: [String], to descriptor: Int32 = STDOUT_FILENO) {
        change { state in
            let isOurs = !state.isHidden && terminal.isForeground
            if isOurs && state.isDrawn { write(Self.clear) }
            writeAll(lines.map { $0 + "\n" }.joined(), to: descriptor)
            if isOurs && state.isDrawn { draw(&state) }
        }
    }

    /// Takes the line away until `show`.
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

    /// Takes the line away for good. Does not wait for a terminal that takes nothing now.
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
        // The cursor stays at the line's first column, which a terminal keeps it in that wraps the
        // line for a new width: what is to clear is below it then.
        write("\r" + state.line.text(columns: Self.columns) + "\u{1B}[K\r")
        state.isDrawn = true
    }

    /// The columns to write into: all but the last, after which some terminals continue on the next
    /// line at once.
    static var columns: Int {
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size.ws_col > 1 ? Int(size.ws_col) - 1 : 79
    }

    private func write(_ text: String) { writeAll(text, to: STDOUT_FILENO) }
}
