import CLinux
import Glibc

/// Interrupts a thread that waits for descriptors.
final class Wakeup: Sendable {
    /// Becomes readable by `post`.
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "cannot make an eventfd: \(reason(errno))")
    }

    deinit { close(descriptor) }

    func post() { eventfd_write(descriptor, 1) }

    func clear() {
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}

/// What an `errno` means.
func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

/// Closes descriptors.
func closeAll(_ descriptors: some Sequence<Int32>) { for one in descriptors { close(one) } }
