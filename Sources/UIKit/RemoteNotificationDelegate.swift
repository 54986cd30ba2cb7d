public import Foundation

/// The defaults of the methods for pushes. An application implements one of the three that receive
/// them; the handler's form comes first, then the asynchronous one, then the old one.
extension UIApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}

    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    /// Passes on the result of the asynchronous form.
    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) ->
            Void
    ) {
        let mayBeOld =
            application.applicationState != .background
            && !application.remoteNotifications.isLaunching
        Task {
            let result = await UIApplication.$mayCallOldNotificationMethod.withValue(mayBeOld) {
                await self.application(application, didReceiveRemoteNotification: userInfo)
            }
            completionHandler(result)
        }
    }

    /// Calls the old form, which has no result, in the foreground, unless the application was
    /// launched for the push. Returns `noData`.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        let callOldMethod: () -> Void = {
            self.application(application, didReceiveRemoteNotification: userInfo)
        }
        if UIApplication.mayCallOldNotificationMethod { callOldMethod() }
        return .noData
    }

    /// Does nothing.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) {}
}

extension UIApplication {
    /// Whether a push that no other method receives goes to the old one.
    @TaskLocal nonisolated static var mayCallOldNotificationMethod = false
}
