import BackgroundTasks
import UIKit
import UndersongDemoScreen

/// The fourth tab: traffic reports, which are fetched in the background, and by a button.
@MainActor
final class FetchViewController {
    static let refreshIdentifier = "net.undersong.BackgroundModes.refresh"
    /// Seconds after which the next refresh may begin (G3).
    static let refreshDelay: TimeInterval = 60
    /// The number of reports that are kept.
    static let limit = 50

    /// The keys of the defaults.
    private enum Key {
        static let lastRefresh = "lastRefresh"
        static let reports = "reports"
        static let unread = "unread"
    }

    private(set) var view = DemoScreen.Fetch() { didSet { onChange() } }
    /// The number of reports that the user has not seen.
    private(set) var unread = 0 { didSet { onChange() } }
    /// Called when `view` or `unread` has changed.
    var onChange: () -> Void = {}

    private let application: UIApplication
    private let defaults: UserDefaults
    private var source: TrafficReports
    private let latency: Duration
    private let print: (String) -> Void
    /// The number of updates that are under way.
    private var updates = 0 { didSet { view.isUpdating = updates > 0 } }

    /// Makes the tab of an application, which writes to the console by `print`, with what `defaults` have
    /// kept. The source answers after `latency`.
    init(
        _ application: UIApplication = .shared, _ defaults: UserDefaults = .standard,
        _ source: TrafficReports = TrafficReports(),
        latency: Duration = .seconds(2), print: @escaping (String) -> Void
    ) {
        self.application = application
        self.defaults = defaults
        self.source = source
        self.latency = latency
        self.print = print
        view.lastRefresh =
            (defaults.object(forKey: Key.lastRefresh) as? Date)?
            .timeIntervalSince1970
        view.reports =
            defaults.string(forKey: Key.reports)?.split(separator: "\n").map(String.init) ?? []
        unread = defaults.object(forKey: Key.unread) as? Int ?? 0
    }

    /// Updates the reports, for the button and the system alike (F17). Returns the number of new ones.
    ///
    /// - Throws: The task is cancelled.
    func update() async throws -> Int {
        updates += 1
        defer { updates -= 1 }
        try await Task.sleep(for: latency)
        let new = source.fetch()
        let date = Date()
        view.reports = Array((new + view.reports).prefix(Self.limit))
        view.lastRefresh = date.timeIntervalSince1970
        defaults.set(date, forKey: Key.lastRefresh)
        // One text: a Foundation that is linked statically, as in a package, traps on an array.
        defaults.set(view.reports.joined(separator: "\n"), forKey: Key.reports)
        setUnread(unread + new.count)
        return new.count
    }

    func updateButtonTapped() {
        Task { _ = try? await update() }
    }

    /// The user has seen the reports.
    func didShowReports() {
        if unread > 0 { setUnread(0) }
    }

    private func setUnread(_ number: Int) {
        unread = number
        defaults.set(unread, forKey: Key.unread)
        // The process may be ended at any time once it is suspended.
        _ = defaults.synchronize()
    }

    /// Shows the new reports by the badge of the app's icon, which is cleared when the app is opened (F15).
    private func showBadge() {
        guard unread > 0, application.applicationState == .background else { return }
        application.applicationIconBadgeNumber = unread
    }

    // MARK: Background fetch

    /// Fetches in the background: the handler is passed through, and called once (F10, F12).
    func fetch(_ completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void) {
        Task {
            guard let count = try? await update() else { return completionHandler(.failed) }
            print("Background fetch completed - \(count) new updates")
            completionHandler(count > 0 ? .newData : .noData)
            showBadge()
        }
    }

    // MARK: Background refresh

    /// Refreshes in the background, and asks for the next refresh (G4, G8).
    func handleAppRefresh(_ task: BGAppRefreshTask) {
        let update = Task { try await self.update() }
        task.expirationHandler = { update.cancel() }
        Task {
            let count = try? await update.value
            if count != nil { print("refresh occurred") }
            task.setTaskCompleted(success: count != nil)
            scheduleAppRefresh()
            showBadge()
        }
    }

    /// Asks for a refresh (G1, G5).
    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: Self.refreshIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: Self.refreshDelay)
        do {
            try BGTaskScheduler.shared.submit(request)
            print("background refresh scheduled")
        } catch {
            print("Couldn't schedule app refresh \(error.localizedDescription)")
        }
    }
}
