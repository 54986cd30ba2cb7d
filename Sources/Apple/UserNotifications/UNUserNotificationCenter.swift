public import Foundation
import Synchronization
package import UndersongAppHost
package import UndersongBase
import UndersongLinuxPlatform

/// Notifies the user of the desktop in the name of the application, at once or later.
///
/// Any thread may use it; the delegate is called on the main actor, and completion handlers on a queue of
/// the center. The service shows the notifications, by the desktop's notification server: the program has
/// to be an app of it, by `UIApplicationMain` or `@main` on its delegate (module `UIKit`). In any other
/// program requests end with an error that says so.
///
/// Requests with a trigger are delivered while the program runs. The service keeps no time for it: those
/// that become due while the program is suspended, or does not run, are delivered when it runs again.
public final class UNUserNotificationCenter: NSObject, Sendable {
    private static let shared = UNUserNotificationCenter(
        .shared, states: .shared, clock: NotificationDesk.clock, alarm: { TimerAlarm($0) })

    /// Unchecked, as only the main actor calls the delegate.
    private struct WeakDelegate: @unchecked Sendable {
        weak var delegate: (any UNUserNotificationCenterDelegate)?
    }

    private let desk: NotificationDesk
    private let weakDelegate = Mutex(WeakDelegate())
    /// The queue on which completion handlers are called.
    private let queue = DispatchQueue(label: "UNUserNotificationCenter")

    /// The center of this process.
    public class func current() -> UNUserNotificationCenter { shared }

    /// Creates a center of its own, for tests.
    package init(
        _ link: NotificationLink, states: HostStateBroadcaster, clock: any HostClock,
        alarm: @escaping (@escaping @Sendable () -> Void) -> any Alarm
    ) {
        desk = NotificationDesk(link, states: states, clock: clock, alarm: alarm)
        super.init()
        desk.begin(
            presenter: { [weak self] record, answer in
                MainQueue.run { self.map { $0.present(record, answer) } ?? answer([]) }
            },
            responder: { [weak self] record, action, done in
                MainQueue.run { self.map { $0.respond(record, action, done) } ?? done() }
            })
    }

    /// Decides about notifications in the foreground, and gets the user's answers. Set before the
    /// application has launched, so that it gets the answer for which it was launched. It is not kept.
    public weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { weakDelegate.withLock(\.self).delegate }
        set {
            let new = WeakDelegate(delegate: newValue)
            weakDelegate.withLock { $0 = new }
        }
    }

    /// Returns when all that was asked for so far has been handled, for tests.
    package func settle() { desk.settle() }

    // MARK: Permission

    /// Asks for the permission to notify the user. There is no dialogue: the first time it is given, and
    /// the user may withdraw it. `completionHandler` gets true if there is
    /// the permission, or the reason why notifying is not possible at all.
    public func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        desk.askPermission { [queue] result in
            queue.async {
                switch result {
                case .success(let status): completionHandler(status == .authorized, nil)
                case .failure(let error): completionHandler(false, error)
                }
            }
        }
    }

    /// The same as an asynchronous method.
    public func requestAuthorization(
        options: UNAuthorizationOptions = []
    ) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            desk.askPermission { result in
                continuation.resume(with: result.map { $0 == .authorized }.mapError { $0 })
            }
        }
    }

    /// Calls `completionHandler` with the settings, by which nothing is determined without a service.
    public func getNotificationSettings(
        completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void
    ) {
        desk.readPermission { [queue] result in
            let settings = UNNotificationSettings((try? result.get()) ?? .notDetermined)
            queue.async { completionHandler(settings) }
        }
    }

    /// The settings, by which nothing is determined without a service.
    public func notificationSettings() async -> UNNotificationSettings {
        await withCheckedContinuation { continuation in
            getNotificationSettings { continuation.resume(returning: $0) }
        }
    }

    // MARK: Requests

    /// Requests a notification, in place of one with the same identifier.
    ///
    /// `completionHandler` is called when a request with a trigger is kept, on the disk, or one without a
    /// trigger is delivered; otherwise with a `UNError` that says why not.
    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let complete = { @Sendable [queue] (error: UNError?) in
            queue.async { completionHandler?(error) }
        }
        do throws(UNError) {
            desk.add(try record(of: request), complete)
        } catch {
            complete(error)
        }
    }

    /// Requests a notification, as above.
    public nonisolated(nonsending) func add(_ request: UNNotificationRequest) async throws {
        let record = try record(of: request)
        let error = await withCheckedContinuation { continuation in
            desk.add(record) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    private func record(of request: UNNotificationRequest) throws(UNError) -> NotificationRecord {
        let content = try request.content.checkedRecord()
        guard content.hasText || content.badge != nil else {
            throw UNError(
                .notificationInvalidNoContent,
                reason: "\(request.identifier) has neither a text nor a badge")
        }
        let now = desk.now
        guard let trigger = request.trigger?.record else {
            return NotificationRecord(identifier: request.identifier, content: content, date: now)
        }
        guard let date = trigger.date(after: now) else {
            throw UNError(
                .notificationInvalidNoDate,
                reason: "no date to come fits the trigger of \(request.identifier)")
        }
        return NotificationRecord(
            identifier: request.identifier, content: content, trigger: trigger, date: date)
    }

    /// Calls `completionHandler` with the requests that have not been delivered.
    public func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        let records = desk.pending
        queue.async {
            completionHandler(records.map { UNNotificationRequest($0, isPending: true) })
        }
    }

    /// The requests that have not been delivered.
    public nonisolated(nonsending) func pendingNotificationRequests() async
        -> [UNNotificationRequest]
    {
        desk.pending.map { UNNotificationRequest($0, isPending: true) }
    }

    /// Removes requests that have not been delivered.
    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        desk.removePending(identifiers)
    }

    /// Removes all requests that have not been delivered.
    public func removeAllPendingNotificationRequests() { desk.removePending(nil) }

    // MARK: Delivered notifications

    /// Calls `completionHandler` with the notifications that the notification server still shows.
    public func getDeliveredNotifications(
        completionHandler: @escaping @Sendable ([UNNotification]) -> Void
    ) {
        desk.readDelivered { [queue] records in
            queue.async { completionHandler(records.map { UNNotification($0) }) }
        }
    }

    /// The notifications that the notification server still shows.
    public nonisolated(nonsending) func deliveredNotifications() async -> [UNNotification] {
        let records = await withCheckedContinuation { continuation in
            desk.readDelivered { continuation.resume(returning: $0) }
        }
        return records.map { UNNotification($0) }
    }

    /// Removes notifications from the notification server.
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        desk.removeDelivered(identifiers)
    }

    /// Removes all notifications of the application from the notification server.
    public func removeAllDeliveredNotifications() { desk.removeDelivered(nil) }

    // MARK: Categories and the badge

    /// Sets the categories. They end with the process: the application sets them each time it launches.
    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        desk.categories = categories
    }

    /// Calls `completionHandler` with the categories.
    public func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        let categories = desk.categories
        queue.async { completionHandler(categories) }
    }

    /// The categories.
    public func notificationCategories() async -> Set<UNNotificationCategory> { desk.categories }

    /// Sets the badge of the application; 0 for none. `completionHandler` is called when that is on the
    /// disk, or with a `UNError` that says why not.
    public func setBadgeCount(
        _ newBadgeCount: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let complete = { @Sendable [queue] (error: UNError?) in
            queue.async { completionHandler?(error) }
        }
        guard newBadgeCount >= 0 else {
            return complete(UNError(.badgeInputInvalid, reason: "a badge must not be negative"))
        }
        desk.setBadge(newBadgeCount, complete)
    }

    /// The same as an asynchronous method.
    public func setBadgeCount(_ newBadgeCount: Int) async throws {
        let error = await withCheckedContinuation { continuation in
            setBadgeCount(newBadgeCount) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    // MARK: The delegate

    @MainActor private func present(
        _ record: NotificationRecord,
        _ answer: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        guard let delegate else { return answer([]) }
        let isAnswered = Mutex(false)
        delegate.userNotificationCenter(self, willPresent: UNNotification(record)) { options in
            let isFirst = isAnswered.withLock { isAnswered in
                defer { isAnswered = true }
                return !isAnswered
            }
            if isFirst { answer(options) }
        }
    }

    @MainActor private func respond(
        _ record: NotificationRecord, _ action: String, _ done: @escaping @Sendable () -> Void
    ) {
        guard let delegate else { return done() }
        delegate.userNotificationCenter(
            self, didReceive: UNNotificationResponse(record, action: action),
            withCompletionHandler: done)
    }
}
