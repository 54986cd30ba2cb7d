public import Foundation

extension NotificationCenter {
    /// The notifications called `name` from now on, of `object` when one is given. A reader that is
    /// slow loses none. Foundation on Linux lacks this sequence.
    public func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> AsyncStream<Notification> {
        let (stream, notifications) = AsyncStream.makeStream(of: Notification.self)
        let token = Token(
            addObserver(forName: name, object: object, queue: nil) { notifications.yield($0) })
        notifications.onTermination = { [weak self] _ in self?.removeObserver(token.value) }
        return stream
    }
}

/// Carries an observer's token to where it is removed. Unchecked because it is only handed back to
/// the center, which any thread may do.
private struct Token: @unchecked Sendable {
    let value: any NSObjectProtocol

    init(_ value: any NSObjectProtocol) { self.value = value }
}
