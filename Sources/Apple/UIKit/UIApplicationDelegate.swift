public import Foundation

/// Receives the application's life cycle events. Every method has a default that does nothing.
@preconcurrency @MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The application is being launched. The result is not used.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The application has been launched. The result is not used.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// Transfers of a background session are done, while the application is in the background or
    /// was launched for them (J11, J14).
    ///
    /// It creates the session with this identifier again, if it has none, within ten seconds; keeps
    /// `completionHandler` (one for each identifier, J13); and calls it, on any thread, when
    /// `urlSessionDidFinishEvents(forBackgroundURLSession:)` is called, which is after all events of
    /// the session. Then the application may be suspended.
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void)

    /// The application may look for new content, in the background: it was woken or launched for
    /// that if need be (A11, A12).
    ///
    /// It has 30 seconds (F9), and calls `completionHandler` when it is done, on any thread, exactly
    /// once (F10): each fetch has a handler of its own, so one that is kept in a property is lost
    /// with the next fetch (F12). Then the application may be suspended. Without this method or
    /// `applicationPerformFetch(_:)` each fetch ends at once, as one that has found nothing.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void)

    /// The asynchronous form of `application(_:performFetchWithCompletionHandler:)`. An application
    /// has one of them.
    func applicationPerformFetch(_ application: UIApplication) async -> UIBackgroundFetchResult

    /// The application has registered for pushes: senders name it by `deviceToken`.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)

    /// Registering for pushes has failed.
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error)

    /// A push has come, in the foreground, or in the background for up to 30 s (H3). It calls
    /// `completionHandler` once, on any thread, as early as possible; then the application may be
    /// suspended.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) ->
            Void)

    /// The same as an asynchronous method.
    // The compiler does not infer the actor in programs of Swift 5, and would warn of the dictionary.
    @MainActor func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult

    /// A push has come in the foreground. Not called if one of the methods above is there, nor in
    /// the background, nor if the application was launched for the push.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any])

    /// The application is active.
    func applicationDidBecomeActive(_ application: UIApplication)

    /// The application is about to become inactive.
    func applicationWillResignActive(_ application: UIApplication)

    /// The application is in the background.
    func applicationDidEnterBackground(_ application: UIApplication)

    /// The application is about to enter the foreground.
    func applicationWillEnterForeground(_ application: UIApplication)

    /// The application is about to terminate.
    func applicationWillTerminate(_ application: UIApplication)
}

extension UIApplicationDelegate {
    /// Returns true.
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Returns true.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Calls the handler.
    public func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) { completionHandler() }

    /// Calls `applicationPerformFetch(_:)`.
    public func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        Task { completionHandler(await applicationPerformFetch(application)) }
    }

    /// Returns `noData`.
    public func applicationPerformFetch(
        _ application: UIApplication
    ) async -> UIBackgroundFetchResult { .noData }

    /// Does nothing.
    public func applicationDidBecomeActive(_ application: UIApplication) {}

    /// Does nothing.
    public func applicationWillResignActive(_ application: UIApplication) {}

    /// Does nothing.
    public func applicationDidEnterBackground(_ application: UIApplication) {}

    /// Does nothing.
    public func applicationWillEnterForeground(_ application: UIApplication) {}

    /// Does nothing.
    public func applicationWillTerminate(_ application: UIApplication) {}
}
