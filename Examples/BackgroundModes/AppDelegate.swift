import AVFoundation
import BackgroundTasks
import UIKit
import UndersongDemoScreen
import UserNotifications

/// The tutorials' app: four tabs, and a console in which one watches it in the background.
///
/// It has no screen of its own: the environment variable `UNDERSONG_DEMO` is the socket of the phone,
/// `undersong demo`. Without it, the console is the standard output. With `UNDERSONG_DEMO_SILENT`, the
/// songs play without a sound server, unheard: they are the program's arguments, or those beside it.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let phone = Phone(at: variable("UNDERSONG_DEMO"))
    private var pacer = ScreenPacer()

    private lazy var tabs = TabBarController(
        audio: AudioViewController(Self.songs, print: console(.audio)),
        location: LocationViewController(print: console(.location)),
        whatever: WhateverViewController(print: console(.whatever)),
        fetch: FetchViewController(print: console(.fetch)))

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }

    /// The songs.
    private static var songs: [URL] {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let beside = Bundle.main.paths(forResourcesOfType: "mp3", inDirectory: nil)
        return (arguments.isEmpty ? beside.sorted() : arguments).map { URL(fileURLWithPath: $0) }
    }

    private func console(_ tab: DemoTab) -> (String) -> Void {
        { [phone] line in phone.print(line, tab) }
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        if Self.variable("UNDERSONG_DEMO_SILENT") != nil { AVPlayer.outputDestination = .null }
        tabs.location.followSystem()
        phone.onTouch = { [weak self] in self?.tabs.handle($0) }
        connect()
        tabs.onChange = { [weak self] in self?.screenChanged() }
        tabs.audio.viewDidLoad()
        UNUserNotificationCenter.current().requestAuthorization(options: .badge) { _, _ in }
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: FetchViewController.refreshIdentifier, using: .main
        ) { [weak self] task in
            guard let task = task as? BGAppRefreshTask else { return }
            MainActor.assumeIsolated { self?.tabs.fetch.handleAppRefresh(task) }
        }
        tabs.fetch.scheduleAppRefresh()
        // The snapshot of an app that is not in front is its last screen (K4).
        application.host.onSnapshot { [weak self] in self?.showScreen() }
        return true
    }

    func applicationWillEnterForeground(_ application: UIApplication) { connect() }

    func applicationWillResignActive(_ application: UIApplication) {
        tabs.audio.observeTime(isActive: false)
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        application.applicationIconBadgeNumber = 0
        tabs.audio.observeTime(isActive: true)
        tabs.applicationDidBecomeActive()
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        tabs.fetch.fetch(completionHandler)
    }

    // MARK: The phone

    private func connect() {
        guard phone.connect() else { return }
        pacer.reset()
        screenChanged()
    }

    private var isActive: Bool { UIApplication.shared.applicationState == .active }

    private var now: TimeInterval { ProcessInfo.processInfo.systemUptime }

    /// Shows the screen soon: what is not in front is not seen.
    private func screenChanged() {
        guard isActive, phone.isConnected, let delay = pacer.change(at: now) else { return }
        let show: @Sendable () -> Void = {
            MainActor.assumeIsolated {
                self.pacer.finishWait()
                if self.isActive { self.showScreen() }
            }
        }
        // A timer costs more than a turn of the queue.
        if delay > 0 {
            DispatchQueue.main.asyncAfter(deadline: .now() + delay, execute: show)
        } else {
            DispatchQueue.main.async(execute: show)
        }
    }

    private func showScreen() {
        guard phone.isConnected else { return }
        let screen = tabs.screen
        if pacer.accept(screen, at: now) { phone.show(screen) }
    }
}
