import Dispatch
import Glibc
import Synchronization
import UndersongCommandOptions

/// Owns the whole terminal while this program is in the foreground: gives inputs to a
/// `QueueScreen`, hands on what it asks for, and draws what has changed.
final class FullScreen: HostDisplay {
    private struct State {
        var screen: QueueScreen
        /// The inputs that are not handled yet.
        var inputs: [QueueScreen.Input] = []
        var isScheduled = false
        /// True if another program has the terminal.
        var isHidden = false
        var isClosed = false
        /// The frame that the terminal shows; nil if that is unknown.
        var drawn: QueueScreenText.Frame?
        var question = PictureQuestion()
        /// The sequence that removes a picture that the terminal may show.
        var removal = ""
    }

    /// The time to wait for a terminal that accepts no output, before it is left as it is.
    private static let patience = DispatchTimeInterval.milliseconds(300)

    private let terminal: HostTerminal
    /// The value of `TERM`.
    private let terminalName: String?
    /// The time at which the terminal was asked about itself; nil if it was not.
    private let asked = Mutex<DispatchTime?>(nil)
    private let answered = DispatchSemaphore(value: 0)
    private let perform: @Sendable (QueueScreen.Command) -> Void
    private let state: Mutex<State>
    /// Handles inputs one after the other, and is the only one to draw.
    private let queue = DispatchQueue(label: "undersong.screen")
    /// Held while the terminal is written to.
    private let output = DispatchSemaphore(value: 1)

    /// `perform` is called with what the screen asks for, on a thread of its own.
    init(
        _ terminal: HostTerminal, named name: String?, keys: KeyMap,
        _ perform: @escaping @Sendable (QueueScreen.Command) -> Void
    ) {
        self.terminal = terminal
        terminalName = name
        state = Mutex(State(screen: QueueScreen(keys: keys)))
        self.perform = perform
    }

    /// Handles what the terminal says about itself. Does not wait.
    func receive(_ report: TerminalReport) {
        let style = state.withLock { state in
            let style = state.question.receive(report, cell: Self.cell)
            state.removal = style??.removal ?? state.removal
            return style
        }
        guard let style else { return }
        answered.signal()
        receive(.pictures(style))
    }

    /// Handles an input. Does not wait.
    func receive(_ input: QueueScreen.Input) {
        state.withLock { state in
            state.inputs.append(input)
            guard !state.isScheduled else { return }
            state.isScheduled = true
            queue.async { [self] in work() }
        }
    }

    /// Draws everything again, in the terminal's present size.
    func redraw() {
        state.withLock { $0.drawn = nil }
        receive(.size(Self.layout))
    }

    /// Gives the terminal back, until `show`.
    func hide() { giveBack { $0.isHidden = true } }

    /// Takes the terminal again.
    func show() {
        state.withLock { $0.isHidden = false }
        redraw()
    }

    /// Gives the terminal back for good. Does not wait long for a terminal that accepts no output.
    func close() { giveBack { $0.isClosed = true } }

    private static var cell: PictureStyle.Cell? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0,
            size.ws_col > 0, size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row
        else { return nil }
        return PictureStyle.Cell(
            width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
    }

    private static var layout: ScreenLayout {
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        return ScreenLayout(columns: Screen.columns, rows: isKnown ? Int(size.ws_row) : 24)
    }

    /// Handles all inputs that have come, and then draws once.
    private func work() {
        while true {
            let inputs = state.withLock { state in
                defer { state.inputs = [] }
                state.isScheduled = !state.inputs.isEmpty
                return state.inputs
            }
            guard !inputs.isEmpty else { return }
            for input in inputs {
                for command in state.withLock({ $0.screen.handle(input) }) {
                    if command == .repaint {
                        state.withLock { $0.drawn = nil }
                    } else {
                        perform(command)
                    }
                }
            }
            draw()
        }
    }

    private func draw() {
        output.wait()
        defer { output.signal() }
        guard terminal.isForeground else { return }
        let changes = state.withLock { state -> String? in
            guard !state.isHidden, !state.isClosed else { return nil }
            let frame = QueueScreenText(state.screen).frame
            defer { state.drawn = frame }
            let changes = ScreenControl.changes(from: state.drawn, to: frame)
            return (state.drawn == nil ? state.removal : "") + changes
        }
        guard let changes, !changes.isEmpty else { return }
        TerminalGuard.isFullScreen = true
        ask()
        writeAll(changes, to: STDOUT_FILENO)
    }

    /// Asks once whether the terminal shows pictures. What it may show of the question is drawn
    /// over.
    private func ask() {
        guard asked.withLock({ $0 == nil }) else { return }
        let question = PictureQuestion.text(terminal: terminalName)
        asked.withLock { $0 = question == nil ? .distantFuture : .now() }
        guard let question else { return }
        writeAll(ScreenControl.enter + question, to: STDOUT_FILENO)
    }

    private func giveBack(_ change: (inout State) -> Void) {
        // A terminal that was stopped by Ctrl-S would hold the one who draws, and this program.
        if terminal.isForeground { tcflow(STDOUT_FILENO, TCOON) }
        awaitAnswer()
        let isFree = output.wait(timeout: .now() + Self.patience) == .success
        defer { if isFree { output.signal() } }
        let removal = state.withLock { state in
            change(&state)
            state.drawn = nil
            return state.removal
        }
        var room = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        guard isFree, TerminalGuard.isFullScreen, terminal.isForeground,
            unsafe poll(&room, 1, 0) == 1
        else { return }
        TerminalGuard.isFullScreen = false
        writeAll(removal + ScreenControl.leave, to: STDOUT_FILENO)
    }

    /// Leaves a moment after the question for its answer, which the shell would take for typed
    /// text.
    private func awaitAnswer() {
        guard let time = asked.withLock({ $0 }), time != .distantFuture,
            answered.wait(timeout: time + Self.patience) == .success
        else { return }
        answered.signal()
    }
}

/// The control sequences by which a full screen is drawn, which all terminals but those for
/// printing understand.
enum ScreenControl {
    /// Begins the full screen: the terminal keeps what it shows, and hides the cursor.
    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    /// Ends the full screen: the terminal shows again what it has kept.
    static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// True if the terminal with this value of `TERM` understands them.
    static func isUnderstood(by name: String?) -> Bool { !["", "dumb"].contains(name ?? "") }

    /// The text that turns the frame that is shown into another one; all of it for nil.
    static func changes(
        from old: QueueScreenText.Frame?, to new: QueueScreenText.Frame
    ) -> String {
        guard old != new else { return "" }
        let isAnew = old?.lines.count != new.lines.count
        var text = isAnew ? enter : ""
        let isNewPicture = isAnew || old?.picture != new.picture
        // Text that is drawn in the place of sixels removes them.
        let freed = isNewPicture ? [old?.picture, new.picture].compactMap(\.self) : []
        if isNewPicture, let picture = old?.picture { text += picture.cover.request.style.removal }
        for (row, line) in new.lines.enumerated() {
            let isFreed = freed.contains { $0.rows.contains(row) }
            guard isAnew || isFreed || old?.lines[row] != line else { continue }
            text += "\u{1B}[\(row + 1);1H\(style(line.style))\(line.text)\u{1B}[0m\(line.panel)"
            if isFreed || !line.hasPicture { text += "\u{1B}[K" }
        }
        if isNewPicture, let picture = new.picture {
            text += "\u{1B}[\(picture.row + 1);\(picture.column + 1)H" + picture.cover.text
        }
        guard let caret = new.caret else { return text + (old?.caret == nil ? "" : "\u{1B}[?25l") }
        return text + "\u{1B}[\(new.lines.count);\(caret + 1)H\u{1B}[?25h"
    }

    private static func style(_ style: QueueScreenText.Line.Style) -> String {
        switch style {
        case .plain: ""
        case .bold: "\u{1B}[1m"
        case .dim: "\u{1B}[2m"
        case .selected: "\u{1B}[7m"
        }
    }
}
