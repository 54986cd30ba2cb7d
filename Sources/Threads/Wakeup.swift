import CLinux
import Glibc

/// Interrupts a thread that waits for descriptors. Any thread may post; that never blocks.
package final class Wakeup: Sendable {
    /// Becomes readable by `post`.
    package let descriptor: Int32

    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(
            descriptor >= 0, "cannot make an eventfd: \(unsafe String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    package func post() { eventfd_write(descriptor, 1) }

    /// Makes it unreadable until the next post.
    package func clear() {
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}
