public import Foundation
import Synchronization
import UndersongAppHost
import UndersongBackground

/// Identifies a task that keeps the application running in the background.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// A number that is unique in the application.
    public let rawValue: Int

    /// Makes an identifier of any value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No task.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// The running tasks, and the handlers to call when their time is over.
struct BackgroundTaskState: Sendable {
    var account = BackgroundTasks()
    var handlers: [Int: @MainActor @Sendable () -> Void] = [:]
}

extension UIApplication {
    /// Begins a task without a name. See `beginBackgroundTask(withName:expirationHandler:)`.
    nonisolated public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Asks to continue running for a while in the background. Any thread may call it, also before
    /// the application leaves the foreground.
    ///
    /// Every identifier needs its own `endBackgroundTask` (E6). All tasks share the time of one
    /// stay in the background (E11). `handler` is called once, on the main thread, shortly before
    /// its end (E4). Returns `invalid` if no time is left.
    nonisolated public func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        let now = clock.now
        let identifier = tasks.withLock { state -> Int? in
            guard let identifier = state.account.begin(name: taskName, at: now) else { return nil }
            state.handlers[identifier] = handler
            return identifier
        }
        if identifier != nil {
            onMain { $0.scheduleBackgroundTasks() }
            noteNeeds()
        }
        return identifier.map(UIBackgroundTaskIdentifier.init(rawValue:)) ?? .invalid
    }

    /// Ends a task; after the last one the application may be suspended. An identifier that is
    /// `invalid`, unknown or has ended is ignored.
    nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        let maySuspend = tasks.withLock { state in
            state.handlers[identifier.rawValue] = nil
            return state.account.end(identifier.rawValue)
        }
        if maySuspend { onMain { $0.suspendUnlessBack() } }
        noteNeeds()
    }

    /// Notes that what keeps the application running in the background may have changed.
    nonisolated func noteNeeds() { needsObserver.withLock(\.self)?() }

    /// The reasons for which the application has to run in the background.
    var needs: AppNeeds {
        var needs = AppNeeds()
        needs.tasks = tasks.withLock(\.account.descriptions)
        (needs.audio, needs.location) = (board.isSoundPlaying, board.areLocationsReceived)
        return needs
    }

    /// The seconds left in the background; `.greatestFiniteMagnitude` in the foreground, and while the
    /// application plays in the background with the `audio` mode, or receives locations with the
    /// `location` mode. Time in which the process was suspended counts.
    public var backgroundTimeRemaining: TimeInterval {
        let now = clock.now
        let ofTasks = tasks.withLock { $0.account.timeRemaining(at: now) }
        return runs.values.compactMap { refresh.timeRemaining(of: $0.work) }.reduce(ofTasks, max)
    }

    /// Starts the time in the background, before the application is notified.
    func enterBackgroundTime() {
        let now = clock.now
        tasks.withLock { $0.account.enterBackground(at: now) }
    }

    /// Ends the time in the background.
    func enterForegroundTime() {
        tasks.withLock { $0.account.enterForeground() }
        clock.cancel()
    }

    /// Called after the application was notified of the background: it continues for its tasks, or
    /// may be suspended.
    func settleBackgroundTasks() {
        if tasks.withLock({ $0.account.settle() }) {
            suspensionHandler?()
        } else {
            scheduleBackgroundTasks()
        }
    }

    /// An application that plays or receives locations in the background, and may, has time there.
    func watchActivities() {
        let changed = { @Sendable [weak self] (_: Bool) in
            MainQueue.run { self?.activityChanged() }
        }
        board.readSound(changed)
        board.readLocations(changed)
        board.readHandover { [weak self] _ in self?.handoverChanged() }
    }

    /// A handover has begun or ended: an application that is suspended during it would not be woken for
    /// what it has asked for.
    nonisolated private func handoverChanged() {
        guard board.isHandoverPending else { return endHandover() }
        handover.withLock { task in
            // It may have ended meanwhile.
            guard task == .invalid, board.isHandoverPending else { return }
            task = beginBackgroundTask(withName: "handover") { [weak self] in
                self?.endHandover()
            }
        }
    }

    /// Ends the task without the lock: what the end suspends may begin another handover.
    nonisolated private func endHandover() {
        let task = handover.withLock { task in
            defer { task = .invalid }
            return task
        }
        endBackgroundTask(task)
    }

    /// Sound or locations have begun or ended, or may continue in the background now, or no longer.
    func activityChanged() {
        let modes = capabilities.backgroundModes
        let isUnlimited =
            board.isSoundPlaying && modes.contains(.audio)
            || board.areLocationsReceived && modes.contains(.location)
        let now = clock.now
        if tasks.withLock({ $0.account.setUnlimited(isUnlimited, at: now) }) {
            suspendUnlessBack()
        } else {
            clock.cancel()
            scheduleBackgroundTasks()
        }
        noteNeeds()
    }

    private func scheduleBackgroundTasks() {
        let now = clock.now
        guard let due = tasks.withLock({ $0.account.nextDue(at: now).boot }) else { return }
        clock.wake(at: due) { [weak self] in self?.advanceBackgroundTasks() }
    }

    /// Calls the handlers that are due on this thread, so that the process is not suspended before
    /// they return.
    func advanceBackgroundTasks() {
        let now = clock.now
        while let due = tasks.withLock({ $0.account.handle(.timePassed, at: now).first }) {
            switch due {
            case .expire(let identifiers): expire(identifiers)
            case .terminate(let overstays):
                overstayHandler?(overstays.map { $0.name ?? "task \($0.identifier)" })
            }
        }
        scheduleBackgroundTasks()
    }

    private func suspendUnlessBack() {
        guard applicationState == .background else { return }
        clock.cancel()
        suspensionHandler?()
    }

    private func expire(_ identifiers: [Int]) {
        for identifier in identifiers {
            let handler = tasks.withLock { $0.handlers.removeValue(forKey: identifier) }
            handler?()
        }
    }

    nonisolated private func onMain(_ body: @escaping @MainActor @Sendable (UIApplication) -> Void)
    {
        MainQueue.run { body(self) }
    }
}
