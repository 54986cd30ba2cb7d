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
        _ = OldNotificationMethod.$mayBeCalled.withValue(mayBeOld) {
            Task {
                completionHandler(
                    await self.application(application, didReceiveRemoteNotification: userInfo))
            }
        }
    }

    /// Calls the old form, which has no result, in the foreground, unless the application was
    /// launched for the push. Returns `noData`.
    @MainActor public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        let callOldMethod: () -> Void = {
            self.application(application, didReceiveRemoteNotification: userInfo)
        }
        if OldNotificationMethod.mayBeCalled { callOldMethod() }
        return .noData
    }

    /// Does nothing.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) {}
}

/// The method that receives pushes and has no result.
private enum OldNotificationMethod {
    /// True if it receives the pushes that no other method receives.
    @TaskLocal static var mayBeCalled = false
}
