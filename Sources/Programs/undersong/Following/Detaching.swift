import Synchronization
import UndersongBackground
import UndersongCommandOptions

/// Leaves the program while the music plays on. If the background does not permit that, the first
/// attempt says so, and the second one declares it.
final class Detaching: Sendable {
    private struct State {
        var leave: @Sendable () -> Void = {}
        /// True if it was said that another attempt declares the mode.
        var isWarned = false
    }

    /// True if this program owns what plays; otherwise leaving changes nothing.
    let ownsRun: Bool
    private let link: Service
    private let warning: String
    private let mayLeave: @Sendable (Why) -> Bool
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// The warning of `undersong play`.
    static let usualWarning =
        "Music may not play in the background yet, so it would stop. "
        + "Press d again to allow it and detach."

    /// `mayLeave` decides whether leaving changes nothing about what is heard; `warning` is said if
    /// it does; `say` shows a line.
    init(
        _ link: Service, ownsRun: Bool, warning: String = usualWarning,
        mayLeave: @escaping @Sendable (Why) -> Bool = { $0.audioCapability },
        say: @escaping @Sendable (String) -> Void
    ) {
        self.link = link
        self.ownsRun = ownsRun
        self.warning = warning
        self.mayLeave = mayLeave
        self.say = say
    }

    /// Sets what ends the program.
    func leavesBy(_ leave: @escaping @Sendable () -> Void) { state.withLock { $0.leave = leave } }

    /// Handles the wish to leave.
    func detach() {
        guard ownsRun else { return leave() }
        let isWarned = state.withLock { $0.isWarned }
        guard !isWarned else {
            return link.send(DeclareMode(.audio, on: true)) { [self] reply in
                switch reply {
                case .success: leave()
                case .failure(let error): say(complaint(error.message))
                }
            }
        }
        link.send(GetWhy()) { [self] reply in
            guard let why = try? reply.get() else { return }
            if mayLeave(why) { return leave() }
            state.withLock { $0.isWarned = true }
            say(warning)
        }
    }

    private func leave() {
        if ownsRun { say("Playing on in the background; 'undersong stop' stops it.") }
        state.withLock { $0.leave }()
    }
}
