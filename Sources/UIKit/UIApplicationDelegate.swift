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
