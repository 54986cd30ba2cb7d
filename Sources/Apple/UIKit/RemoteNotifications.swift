import Dispatch
import Foundation
import Synchronization
import UndersongBackground

/// The application's registration for pushes.
struct RemoteNotificationState {
    /// True if it has registered and not unregistered since.
    var isRegistered = false
    /// The result of registering; nil while it is unknown.
    var answer: Result<Data, any Error>?
    /// True if it gets the answer when that is known.
    var awaitsAnswer = false
    /// True if a push is delivered that has launched the application.
    var isLaunching = false
}

extension UIApplication {
    /// True if the application has registered for pushes and was given a token.
    public var isRegisteredForRemoteNotifications: Bool {
        guard case .success? = remoteNotifications.answer else { return false }
        return remoteNotifications.isRegistered
    }

    /// Registers for pushes. The delegate gets the token, or why there is none, on a later turn
    /// of the main queue, each time that this is called; while neither is known, nothing happens.
    /// Silent pushes need no permission of the user.
    public func registerForRemoteNotifications() {
        remoteNotifications.isRegistered = true
        remoteNotifications.awaitsAnswer = true
        runtime?.setWantsPushes(true)
        reportRegistration()
    }

    /// Registers no more. Pushes are not delivered from now on.
    public func unregisterForRemoteNotifications() {
        remoteNotifications.isRegistered = false
        remoteNotifications.awaitsAnswer = false
        runtime?.setWantsPushes(false)
    }

    func reportRegistration() {
        guard remoteNotifications.awaitsAnswer, remoteNotifications.answer != nil else { return }
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.remoteNotifications.awaitsAnswer,
                    let answer = self.remoteNotifications.answer
                else { return }
                self.remoteNotifications.awaitsAnswer = false
                switch answer {
                case .success(let token):
                    self.delegate?.application(
                        self, didRegisterForRemoteNotificationsWithDeviceToken: token)
                case .failure(let error):
                    self.delegate?.application(
                        self, didFailToRegisterForRemoteNotificationsWithError: error)
                }
            }
        }
    }

    /// Returns true if a push with this payload is given to the application as it is now (H1).
    func accepts(_ payload: PushPayload) -> Bool {
        guard remoteNotifications.isRegistered else { return false }
        guard applicationState == .background else { return true }
        return payload.wakes(as: nil)
            && capabilities.backgroundModes.contains(.remoteNotification)
    }

    /// Wakes the application for a push, and gives it to the delegate. The application is not
    /// suspended before the delegate calls the handler, or its time is over.
    func deliver(
        _ payload: PushPayload, isLaunching: Bool,
        _ completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        let now = clock.now
        tasks.withLock { $0.account.wake(at: now) }
        let isDone = Mutex(false)
        let finish = { @Sendable (result: UIBackgroundFetchResult) -> Bool in
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { completion(result) }
            return isFirst
        }
        // Without an answer in time, the push counts as failed.
        let task = beginBackgroundTask(withName: "remote notification") { _ = finish(.failed) }
        remoteNotifications.isLaunching = isLaunching
        delegate?.application(
            self, didReceiveRemoteNotification: payload.userInfo,
            fetchCompletionHandler: { [weak self] result in
                if finish(result) { self?.endBackgroundTask(task) }
            })
        remoteNotifications.isLaunching = false
        if delegate == nil, finish(.noData) { endBackgroundTask(task) }
    }
}

extension UIApplication.LaunchOptionsKey {
    /// The application was launched because of a push; the value is its `userInfo`.
    public static let remoteNotification = UIApplication.LaunchOptionsKey(
        rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
}
