import Dispatch
import Glibc
import Synchronization
import UndersongBase
import UndersongCommandOptions

/// A full screen as a value: what it shows, and what inputs change in it.
protocol ScreenModel: Sendable {
    associatedtype Input: Sendable
    /// Something that the screen asks for.
    associatedtype Command: Sendable

    /// The input of the terminal's size.
    static func input(columns: Int, rows: Int) -> Input
    /// The input of the way in which the terminal shows pictures; nil if it does not.
    static func input(pictures style: PictureStyle?) -> Input
    /// True for the command to draw everything again.
    static func isRepaint(_ command: Command) -> Bool

    /// Handles an input. Returns what is to be done, in this order.
    mutating func handle(_ input: Input) -> [Command]
    /// The picture of the present state, in the terminal's size.
    var frame: Frame { get }
}

/// Owns the whole terminal while this program is in the foreground: gives inputs to a model, hands
/// on what it asks for, and draws what has changed.
final class FullScreen<Model: ScreenModel>: HostDisplay {
    private struct State {
        var model: Model
        var painter: TerminalPainter
        /// The inputs that are not handled yet.
        var inputs: [Model.Input] = []
        var isScheduled = false
        /// True if another program has the terminal.
        var isHidden = false
        var isClosed = false
        var question = PictureQuestion()
        /// The sequence that removes a picture that the terminal may show.
        var removal = ""
    }

    /// The time to wait for a terminal that accepts no output, before it is left as it is.
    private static var patience: DispatchTimeInterval { .milliseconds(300) }

    private let terminal: HostTerminal
    /// The value of `TERM`.
    private let terminalName: String?
    /// The time at which the terminal was asked about itself; nil if it was not.
    private let asked = Mutex<DispatchTime?>(nil)
    private let answered = DispatchSemaphore(value: 0)
    private let perform: @Sendable (Model.Command) -> Void
    private let state: Mutex<State>
    /// Handles inputs one after the other, and is the only one to draw.
    private let queue = DispatchQueue(label: "undersong.screen")
    /// Held while the terminal is written to.
    private let output = DispatchSemaphore(value: 1)

    /// `environment` describes the terminal. `perform` is called with what the model asks for, on a
    /// thread of its own.
    init(
        _ terminal: HostTerminal, environment: (String) -> String?, _ model: Model,
        _ perform: @escaping @Sendable (Model.Command) -> Void
    ) {
        self.terminal = terminal
        terminalName = environment("TERM")
        state = Mutex(State(model: model, painter: TerminalPainter(environment: environment)))
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
        receive(Model.input(pictures: style))
    }

    /// Handles an input. Does not wait.
    func receive(_ input: Model.Input) {
        let isFirst = state.withLock { state in
            state.inputs.append(input)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // Not while the lock is held, for which the queue's thread would have to wait.
        if isFirst { queue.async { [self] in work() } }
    }

    /// Draws everything again, in the terminal's present size.
    func redraw() {
        state.withLock { $0.painter.forget() }
        receive(Self.size)
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

    private static var size: Model.Input {
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        return Model.input(columns: Screen.columns, rows: isKnown ? Int(size.ws_row) : 24)
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
                for command in state.withLock({ $0.model.handle(input) }) {
                    if Model.isRepaint(command) {
                        state.withLock { $0.painter.forget() }
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
            let removal = state.painter.isForgotten ? state.removal : ""
            return removal + state.painter.changes(to: state.model.frame)
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
            state.painter.forget()
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
