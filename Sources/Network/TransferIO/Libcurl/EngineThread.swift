import Synchronization
import UndersongBase

/// The part of an engine that belongs to its thread.
protocol EngineState: AnyObject, SendableMetatype {
    /// A request of other threads.
    associatedtype Letter: Sendable

    /// True when nothing is under way or wanted.
    var isIdle: Bool { get }

    /// Pipes for which the thread waits until they can be written.
    var fullPipes: [Int32] { get }

    func receive(_ letter: Letter)

    /// Does what is due, after libcurl has worked. Returns when it is to be called again at the latest.
    func advance() -> Due
}

extension EngineState {
    var fullPipes: [Int32] { [] }
}

/// The thread of an engine, on which libcurl works. Any thread may post.
final class EngineThread<State: EngineState>: Sendable {
    /// Makes what belongs to the thread, on the thread, each time that it starts.
    typealias MakeState = @Sendable (CURLMulti, EngineThread) -> State

    private enum Phase {
        /// Starts with `start`.
        case held
        /// Starts with the next letter.
        case resting
        case running
        /// Never starts again.
        case ended
    }

    private struct Mail {
        var letters: [State.Letter] = []
        var phase: Phase
        /// The requests, for which the thread waits.
        var multi: CURLMulti?
    }

    private let name: String
    private let clock: any HostClock
    private let makeState: MakeState?
    private let mail: Mutex<Mail>

    /// Creates a thread that starts with the first letter, and rests while the engine is idle.
    init(named name: String, clock: any HostClock, _ makeState: @escaping MakeState) {
        self.name = name
        self.clock = clock
        self.makeState = makeState
        mail = Mutex(Mail(phase: .resting))
    }

    /// Creates a thread that starts with `start`.
    init(named name: String, clock: any HostClock) {
        self.name = name
        self.clock = clock
        makeState = nil
        mail = Mutex(Mail(phase: .held))
    }

    /// Starts the thread, which ends for good when the engine is idle. Called once.
    func start(_ makeState: @escaping MakeState) {
        mail.withLock { $0.phase = .running }
        startThread(named: name) { [self] in run(makeState, then: .ended) }
    }

    func post(_ letter: State.Letter) {
        let starts = mail.withLock { mail in
            guard mail.phase != .ended else { return false }
            mail.letters.append(letter)
            mail.multi?.wakeUp()
            guard mail.phase == .resting else { return false }
            mail.phase = .running
            return true
        }
        guard starts, let makeState else { return }
        startThread(named: name) { [self] in run(makeState, then: .resting) }
    }

    private func run(_ makeState: MakeState, then next: Phase) {
        guard let multi = CURLMulti() else {
            preconditionFailure("there is no memory for libcurl")
        }
        mail.withLock { $0.multi = multi }
        let state = makeState(multi, self)
        while let letters = nextLetters(isIdle: state.isIdle, then: next) {
            for letter in letters { state.receive(letter) }
            multi.perform()
            let due = state.advance()
            if !state.isIdle {
                multi.wait(seconds: due.seconds(by: clock), pipes: state.fullPipes)
            }
        }
    }

    /// The letters that have come; nil if there are none and nothing is under way, which ends the
    /// thread.
    private func nextLetters(isIdle: Bool, then next: Phase) -> [State.Letter]? {
        mail.withLock { mail in
            guard !isIdle || !mail.letters.isEmpty else {
                (mail.phase, mail.multi) = (next, nil)
                return nil
            }
            defer { mail.letters = [] }
            return mail.letters
        }
    }
}
