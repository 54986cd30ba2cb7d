import Synchronization
import TestSupport
import Testing
import UIKit

/// Records the delegate calls, each with the application's state.
@MainActor final class Diary: UIResponder, UIApplicationDelegate {
    private(set) var lines: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    private func write(_ line: String, _ application: UIApplication) {
        lines.append("\(line) \(application.applicationState)")
    }

    /// Also records the notifications of the life cycle.
    func listen(to center: NotificationCenter, of application: UIApplication) {
        let names = [
            UIApplication.didFinishLaunchingNotification,
            UIApplication.willResignActiveNotification,
            UIApplication.didEnterBackgroundNotification,
            UIApplication.willEnterForegroundNotification,
            UIApplication.didBecomeActiveNotification, UIApplication.willTerminateNotification,
        ]
        tokens = names.map { name in
            center.addObserver(forName: name, object: application, queue: nil) { [weak self] _ in
                let short = name.rawValue.dropFirst("UIApplication".count)
                    .dropLast("Notification".count)
                MainActor.assumeIsolated { self?.write("posted \(short)", application) }
            }
        }
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        write("didFinishLaunching", application)
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        write("didBecomeActive", application)
    }

    func applicationWillResignActive(_ application: UIApplication) {
        write("willResignActive", application)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        write("didEnterBackground", application)
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        write("willEnterForeground", application)
    }

    func applicationWillTerminate(_ application: UIApplication) {
        write("willTerminate", application)
    }
}

/// A delegate that implements no method.
@MainActor private final class Silent: NSObject, UIApplicationDelegate {}

@MainActor @Suite struct `The application life cycle` {
    private let center = NotificationCenter()
    private let application: UIApplication
    private let diary = Diary()

    init() {
        application = UIApplication(center: center, clock: ManualClock())
        application.delegate = diary
        diary.listen(to: center, of: application)
    }

    @Test(.rule("A1", "A2"))
    func `The lifecycle belongs to a single application, active by default`() async {
        // Other tests of the same process change the state of the shared application.
        await #expect(processExitsWith: .success) {
            await MainActor.run {
                #expect(UIApplication.shared === UIApplication.shared)
                #expect(UIApplication.shared.applicationState == .active)
            }
        }
        #expect(UIApplication.State(rawValue: 0) == .active)
        #expect(UIApplication.State(rawValue: 1) == .inactive)
        #expect(UIApplication.State(rawValue: 2) == .background)
        #expect(UIApplication.State(rawValue: 3) == nil)
    }

    @Test(.rule("2.7", "T59")) func `The lifecycle starts with a launch and then becomes active`() {
        application.host.launch()

        #expect(
            diary.lines == [
                "didFinishLaunching inactive", "posted DidFinishLaunching inactive",
                "didBecomeActive active", "posted DidBecomeActive active",
            ])
    }

    @Test(.rule("A11", "2.7"))
    func `An application launched into the background does not become active`() {
        application.host.launch(into: .background)

        #expect(
            diary.lines == [
                "didFinishLaunching background", "posted DidFinishLaunching background",
            ])
        #expect(application.applicationState == .background)
    }

    @Test(.rule("A11")) func `UIApplication passes on the launch options`() async {
        let key = UIApplication.LaunchOptionsKey(rawValue: "url")
        let found = Mutex<String?>(nil)
        let token = center.addObserver(
            forName: UIApplication.didFinishLaunchingNotification, object: nil, queue: nil
        ) { note in
            let value = note.userInfo?["url"] as? String
            found.withLock { $0 = value }
        }

        application.host.launch(options: [key: "file:///a.mp3"])
        center.removeObserver(token)

        #expect(found.withLock { $0 } == "file:///a.mp3")
    }

    @Test(.rule("A5", "A6", "A9", "T59"))
    func `The background is entered in Apple's order, and each event is reported twice`() {
        application.host.enter(.background)

        #expect(
            diary.lines == [
                "willResignActive active", "posted WillResignActive active",
                "didEnterBackground background", "posted DidEnterBackground background",
            ])
    }

    @Test(.rule("A7", "A8", "A9", "T59"))
    func `The foreground is entered in Apple's order, and each event is reported twice`() {
        application.host.enter(.background)
        let away = diary.lines.count

        application.host.enter(.active)

        #expect(
            diary.lines.dropFirst(away) == [
                "willEnterForeground background", "posted WillEnterForeground background",
                "didBecomeActive active", "posted DidBecomeActive active",
            ])
    }

    @Test(.rule("A5", "A8")) func `UIApplication can be inactive without reaching the background`()
    {
        application.host.enter(.inactive)
        let during = application.applicationState
        application.host.enter(.inactive)
        application.host.enter(.active)

        #expect(during == .inactive)
        #expect(
            diary.lines.filter { !$0.hasPrefix("posted") } == [
                "willResignActive active", "didBecomeActive active",
            ])
    }

    @Test(.rule("2.7")) func `UIApplication reports the termination`() {
        application.host.terminate()

        #expect(
            diary.lines.filter { !$0.hasPrefix("posted") } == [
                "willResignActive active", "willTerminate inactive",
            ])
        #expect(diary.lines.last == "posted WillTerminate inactive")
    }

    @Test(.rule("A9"))
    func `UIApplication requires no method of its delegate, and does not retain it`() {
        var silent: Silent? = Silent()
        application.delegate = silent

        application.host.launch()
        application.host.enter(.background)
        application.host.enter(.active)
        application.host.terminate()
        silent = nil

        #expect(application.delegate == nil)
    }

    @Test(.rule("2.7")) func `UIApplication says if refreshing in the background is possible`() {
        let count = Mutex(0)
        let token = center.addObserver(
            forName: UIApplication.backgroundRefreshStatusDidChangeNotification, object: nil,
            queue: nil
        ) { _ in count.withLock { $0 += 1 } }

        let before = application.backgroundRefreshStatus
        application.host.setBackgroundRefreshStatus(.denied)
        application.host.setBackgroundRefreshStatus(.denied)
        center.removeObserver(token)

        #expect(before == .available)
        #expect(application.backgroundRefreshStatus == .denied)
        #expect(count.withLock { $0 } == 1)
        #expect(UIBackgroundRefreshStatus.restricted.rawValue == 0)
        #expect(UIBackgroundRefreshStatus.denied.rawValue == 1)
        #expect(UIBackgroundRefreshStatus.available.rawValue == 2)
    }
}
