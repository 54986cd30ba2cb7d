import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongControl
import UndersongPlayback

/// A client of the socket, with its name and its subscriptions.
final class SocketClient: PlayerClient {
    private struct State {
        var name: String?
        var subscriptions: [Int: SocketSubscription] = [:]
        var lastSubscription = 0
        var hasGone = false
        /// Ends what the client waits for.
        var cancel: (@Sendable () -> Void)?
    }

    let id = ClientID()
    let connection: ControlConnection
    private let feed: EventFeed
    private let state = Mutex(State())

    init(_ connection: ControlConnection, feed: EventFeed) {
        self.connection = connection
        self.feed = feed
    }

    var process: Int32? { connection.process }

    /// The client's name; nil before its greeting.
    var name: String? {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    // MARK: Subscriptions

    /// The number of the next subscription.
    var nextSubscription: Int { state.withLock { $0.lastSubscription + 1 } }

    /// Adds a subscription; returns false if the client has gone.
    func add(_ subscription: SocketSubscription, as number: Int) -> Bool {
        state.withLock { state in
            guard !state.hasGone else { return false }
            state.lastSubscription = number
            state.subscriptions[number] = subscription
            return true
        }
    }

    /// Removes a subscription; returns nil if none has that number.
    func remove(_ number: Int) -> SocketSubscription? {
        state.withLock { $0.subscriptions.removeValue(forKey: number) }
    }

    /// Sets the closure to call if the client goes before its request is done; nil for none.
    func willDo(orCancel cancel: (@Sendable () -> Void)?) {
        let hasGone = state.withLock { state in
            state.cancel = cancel
            return state.hasGone
        }
        if hasGone { cancel?() }
    }

    /// Removes all subscriptions, because the connection has ended.
    func leave() -> [SocketSubscription] {
        let (cancel, subscriptions) = state.withLock { state in
            state.hasGone = true
            defer { (state.subscriptions, state.cancel) = ([:], nil) }
            return (state.cancel, Array(state.subscriptions.values))
        }
        cancel?()
        return subscriptions
    }

    /// The number of subscriptions that write to a descriptor.
    var writtenCount: Int {
        state.withLock { $0.subscriptions.values.count(where: \.isWritten) }
    }

    // MARK: Notices from the service

    func runEnded(_ run: Int, _ end: SessionEnd) {
        let notice = SessionEnd(
            reason: end.reason, playedCount: end.playedCount, failedCount: end.failedCount,
            run: run)
        let written = state.withLock { $0.subscriptions.values.first(where: \.isWritten) }
        guard let written else { return connection.notify(notice) }
        // Nothing follows the end.
        feed.remove(written)
        written.whenWritten { [connection] in connection.notify(notice) }
    }

    func taskIsExpiring(_ task: Int, timeRemaining: Double) {
        connection.notify(TaskExpiring(task: task, timeRemaining: timeRemaining))
    }

    func taskWasTerminated(_ task: Int) { connection.notify(TaskTerminated(task: task)) }

    func refreshIsLaunched(_ run: RefreshRun, timeRemaining: Double) {
        connection.notify(RefreshLaunch(run, timeRemaining: timeRemaining))
    }

    func refreshIsExpiring(_ task: Int, timeRemaining: Double) {
        connection.notify(RefreshExpiring(task: task, timeRemaining: timeRemaining))
    }

    func refreshHasEnded(_ run: RefreshRun) { connection.notify(RefreshEnded(run)) }

    func receive(_ push: PushReceived) { connection.notify(push) }

    func pushHasExpired(_ push: PushExpired) { connection.notify(push) }

    func appStateHasChanged(_ change: AppStateChanged) { connection.notify(change) }

    func appIsWoken(_ wake: AppWoken) { connection.notify(wake) }

    func appIsTerminating(_ notice: AppTerminating) { connection.notify(notice) }

    func notificationIsAnswered(_ answer: NotificationAnswered) { connection.notify(answer) }
}
