public import OpenCombine
public import UndersongUIKit

extension UIApplication {
    /// Publishes the phases of the application: the current one first, then each that follows, on the
    /// main thread. A subscriber that demands fewer than there are gets the newest when it demands one
    /// again. It never fails and never finishes.
    nonisolated public var scenePhasePublisher: AnyPublisher<ScenePhase, Never> {
        Deferred { [self] in
            let phases = Phases(subject: CurrentValueSubject(scenePhase))
            let end = observeScenePhase { phases.set($0) }
            return phases.subject.handleEvents(receiveCancel: end)
        }
        .eraseToAnyPublisher()
    }
}

/// The phases for one subscriber. Unchecked because a subject has a lock of its own.
private struct Phases: @unchecked Sendable {
    let subject: CurrentValueSubject<ScenePhase, Never>

    func set(_ phase: ScenePhase) { if phase != subject.value { subject.send(phase) } }
}
