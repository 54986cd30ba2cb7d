import Synchronization
import UndersongBase

/// The part of an engine that belongs to its thread.
protocol EngineState: AnyObject, SendableMetatype {
    /// What other threads want of it.
    associatedtype Letter: Sendable

    /// Whether nothing is under way or wanted.
    var isIdle: Bool { get }

    func take(_ letter: Letter)

    /// Sends and receives what is possible, handles what has come of it, and waits for more, or for
    /// the next letter.
    func step()
}

/// The thread of an engine: it starts with the first letter, and ends when the engine is idle. Any
/// thread may post.
final class EngineThread<State: EngineState>: Sendable {
    private struct Mail {
        var letters: [State.Letter] = []
        var isRunning = false
        /// What the thread waits in.
        var multi: CURLMulti?
    }

    private let name: String
    /// Makes what belongs to the thread, on the thread, each time that it starts.
    private let makeState: @Sendable (CURLMulti, EngineThread) -> State
    private let mail = Mutex(Mail())

    init(
        named name: String, _ makeState: @escaping @Sendable (CURLMulti, EngineThread) -> State
    ) {
        self.name = name
        self.makeState = makeState
    }

    func post(_ letter: State.Letter) {
        let starts = mail.withLock { mail in
            mail.letters.append(letter)
            mail.multi?.wakeUp()
            defer { mail.isRunning = true }
            return !mail.isRunning
        }
        guard starts else { return }
        startThread(named: name) { [self] in run() }
    }

    private func run() {
        guard let multi = CURLMulti() else {
            preconditionFailure("there is no memory for libcurl")
        }
        mail.withLock { $0.multi = multi }
        let state = makeState(multi, self)
        while let letters = nextLetters(isIdle: state.isIdle) {
            letters.forEach(state.take)
            state.step()
        }
    }

    /// What has come; nil if that is nothing and nothing is under way, which ends the thread.
    private func nextLetters(isIdle: Bool) -> [State.Letter]? {
        mail.withLock { mail in
            defer { mail.letters = [] }
            mail.isRunning = !isIdle || !mail.letters.isEmpty
            if !mail.isRunning { mail.multi = nil }
            return mail.isRunning ? mail.letters : nil
        }
    }
}
