public import Foundation

extension NotificationCenter {
    /// The notifications called `name` from now on, of `object` when one is given. A reader that is
    /// slow loses none. Foundation on Linux lacks this sequence.
    public func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
        Notifications(self, name, object)
    }

    /// Notifications, as they are posted.
    public struct Notifications: AsyncSequence {
        /// One after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var iterator: AsyncStream<Carried<Notification>>.Iterator

            /// The next notification, once it is posted.
            public mutating func next() async -> Notification? { await iterator.next()?.value }
        }

        private let stream: AsyncStream<Carried<Notification>>

        init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
            let (stream, notifications) = AsyncStream.makeStream(of: Carried<Notification>.self)
            let token = Carried(
                center.addObserver(forName: name, object: object, queue: nil) {
                    notifications.yield(Carried($0))
                })
            let center = Carried(center)
            notifications.onTermination = { _ in center.value.removeObserver(token.value) }
            self.stream = stream
        }

        /// Begins to wait for them.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iterator: stream.makeAsyncIterator())
        }
    }
}

/// Takes Foundation's values to another thread. Unchecked because a notification is not changed once
/// it is posted, and the center and its tokens may be used by any thread.
private struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
