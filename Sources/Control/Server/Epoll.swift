import CLinux
import Glibc

/// Tells of what happens at many descriptors, each time that it happens anew.
final class Epoll: Sendable {
    /// Something that has happened.
    struct Happening {
        /// The name under which the descriptor is watched.
        var id: Int
        /// There is something to read, or the other side has ended.
        var isInput: Bool
        /// There is room to send.
        var isOutput: Bool
        /// The other side has closed its end altogether.
        var isGone: Bool
    }

    /// How much is told of at a time.
    private static let most = 128
    private let descriptor: Int32

    init() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "cannot make an epoll: \(reason(errno))")
    }

    deinit { close(descriptor) }

    /// Watches a descriptor until it is closed; for room to send too if told. What holds already
    /// is told of too.
    func watch(_ watched: Int32, as id: Int, alsoOutput: Bool = false, isNew: Bool = false) {
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        if alsoOutput { unsafe event.events |= EPOLLOUT.rawValue }
        unsafe event.data.u64 = UInt64(id)
        unsafe epoll_ctl(descriptor, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, watched, &event)
    }

    /// Waits for so many milliseconds, for ever with -1, until something happens.
    func wait(_ milliseconds: Int32) -> [Happening] {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.most) { events in
            let count = unsafe epoll_wait(
                descriptor, events.baseAddress, Int32(events.count), milliseconds)
            return (0..<max(0, Int(count))).map { index in
                let event = unsafe events[index]
                return unsafe Happening(
                    id: Int(event.data.u64),
                    isInput: event.events & ~EPOLLOUT.rawValue != 0,
                    isOutput: event.events & EPOLLOUT.rawValue != 0,
                    isGone: event.events & EPOLLHUP.rawValue != 0)
            }
        }
    }
}
