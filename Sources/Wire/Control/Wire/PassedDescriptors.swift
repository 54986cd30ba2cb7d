import Glibc
import Synchronization

/// Descriptors that came with a request. Those that are not taken are closed.
public final class PassedDescriptors: Sendable {
    private let descriptors: Mutex<[Int32]>

    init(_ descriptors: [Int32] = []) { self.descriptors = Mutex(descriptors) }

    deinit { closeAll(descriptors.withLock { $0 }) }

    /// The number of descriptors.
    public var count: Int { descriptors.withLock { $0.count } }

    /// Takes the next descriptor, which the caller has to close; nil if there is none.
    public func takeFirst() -> Int32? {
        descriptors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

/// Closes descriptors.
func closeAll(_ descriptors: some Sequence<Int32>) { for one in descriptors { close(one) } }
