import Synchronization

/// What other threads want the engine to do.
final class TransferMail: Sendable {
    typealias Letter = @Sendable (TransferEngineState) -> Void

    private struct State {
        var letters: [Letter] = []
        /// The engine's transfers, while it waits for them; libcurl's call to end that is made for
        /// other threads.
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func post(_ letter: @escaping Letter) {
        state.withLock { state in
            state.letters.append(letter)
            state.wake?()
        }
    }

    func take() -> [Letter] {
        state.withLock { state in
            defer { state.letters = [] }
            return state.letters
        }
    }

    func setWake(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }
}
