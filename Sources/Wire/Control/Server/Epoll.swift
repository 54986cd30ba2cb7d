import CUndersongLinux
import Glibc
import UndersongBase

/// Reports changes at many descriptors, edge-triggered.
final class Epoll: Sendable {
    /// A change at a descriptor.
    struct Event {
        /// The number under which the descriptor is watched.
        var id: Int
        /// There is something to read, or the peer has shut down its side.
        var isInput: Bool
        /// There is room to send.
        var isOutput: Bool
        /// The peer has closed its socket.
        var isGone: Bool
    }

    /// The maximum number of changes reported at a time.
    private static let most = 128
    private let descriptor: Int32

    init() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "cannot create an epoll instance: \(SystemError.last.reason)")
    }

    deinit { close(descriptor) }

    /// Watches a descriptor until it is closed, on request for room to send as well. Conditions
    /// that already hold are reported too.
    func watch(_ watched: Int32, as id: Int, alsoOutput: Bool = false, isNew: Bool = false) {
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        if alsoOutput { unsafe event.events |= EPOLLOUT.rawValue }
        unsafe event.data.u64 = UInt64(id)
        unsafe epoll_ctl(descriptor, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, watched, &event)
    }

    /// Waits until something happens, at most this many milliseconds; -1 for no limit.
    func wait(_ milliseconds: Int32) -> [Event] {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.most) { events in
            let count = unsafe epoll_wait(
                descriptor, events.baseAddress, Int32(events.count), milliseconds)
            return (0..<max(0, Int(count))).map { index in
                let event = unsafe events[index]
                return unsafe Event(
                    id: Int(event.data.u64),
                    isInput: event.events & ~EPOLLOUT.rawValue != 0,
                    isOutput: event.events & EPOLLOUT.rawValue != 0,
                    isGone: event.events & EPOLLHUP.rawValue != 0)
            }
        }
    }
}
