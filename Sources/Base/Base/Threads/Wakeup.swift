import CUndersongLinux
import Glibc

/// Interrupts a thread that waits for descriptors. May be posted on any thread, without blocking.
package final class Wakeup: Sendable {
    /// Becomes readable on `post`.
    package let descriptor: Int32

    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(
            descriptor >= 0, "cannot create an eventfd: \(SystemError.last.reason)")
    }

    deinit { close(descriptor) }

    /// Waits until `descriptor` or `other`, if given, is readable, or until `deadline` in
    /// nanoseconds of CLOCK_MONOTONIC; `.max` for none.
    package static func wait(
        for descriptor: Int32, or other: Int32? = nil, until deadline: Int64 = .max
    ) {
        // poll ignores negative descriptors.
        var entries: InlineArray = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        var span = entries.mutableSpan
        repeat {
            // One year is as good as no deadline.
            let left = min(max(0, deadline - SystemClock().now), 31_536_000_000_000_000)
            var time = timespec(
                tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            let count = unsafe span.withUnsafeMutableBufferPointer { entries in
                unsafe ppoll(entries.baseAddress, nfds_t(entries.count), &time, nil)
            }
            if count >= 0 { return }
        } while errno == EINTR
    }

    package func post() { eventfd_write(descriptor, 1) }

    /// Makes it unreadable until the next post.
    package func clear() {
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}
