public import Foundation

extension NotificationCenter {
    /// The notifications called `name` posted from now on, of `object` if one is given. A slow
    /// reader loses none. Foundation on Linux lacks this sequence.
    public func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
        Notifications(self, name, object)
    }

    /// A sequence of notifications, as they are posted.
    public struct Notifications: AsyncSequence {
        /// Iterates over the notifications.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var iterator: AsyncStream<UncheckedBox<Notification>>.Iterator

            /// Waits for the next notification.
            public mutating func next() async -> Notification? { await iterator.next()?.value }
        }

        private let stream: AsyncStream<UncheckedBox<Notification>>

        init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
            let (stream, notifications) = AsyncStream.makeStream(
                of: UncheckedBox<Notification>.self)
            let token = UncheckedBox(
                center.addObserver(forName: name, object: object, queue: nil) {
                    notifications.yield(UncheckedBox($0))
                })
            let center = UncheckedBox(center)
            notifications.onTermination = { _ in center.value.removeObserver(token.value) }
            self.stream = stream
        }

        /// Makes an iterator.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iterator: stream.makeAsyncIterator())
        }
    }
}

/// A box for Foundation's values on their way to another thread. Unchecked because a notification does not change
/// once it is posted, and any thread may use the center and its tokens.
private struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
