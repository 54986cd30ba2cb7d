import Foundation

/// The ways to post an application's notifications.
package enum NotificationPosting: Sendable {
    /// During the call that causes them.
    case direct
    /// As operations of `OperationQueue.main`: during the call if that runs on this queue, as it does
    /// on the main thread, otherwise after it, in order.
    ///
    /// If the main queue is not bound to the main thread, as after `dispatchMain()` or in an
    /// asynchronous `main`, Foundation on Linux detects only within an operation that an observer with
    /// `queue: .main` is on its queue already. Otherwise it would wait forever for the operation that
    /// is to call the observer.
    case asOperation

    @MainActor func post(_ notification: Notification, to center: NotificationCenter) {
        if self == .direct || OperationQueue.current === OperationQueue.main {
            return center.post(notification)
        }
        let posted = Posted(center: center, notification: notification)
        OperationQueue.main.addOperation { posted.center.post(posted.notification) }
    }

    /// Unchecked because a notification does not change once it is made, and any thread may use a
    /// center.
    private struct Posted: @unchecked Sendable {
        let center: NotificationCenter
        let notification: Notification
    }
}
