import CUndersongLinux
import Glibc

/// A counting semaphore by which threads wake each other. Posting does not block, allocate or lock,
/// so the output thread may do it.
@safe
package final class Semaphore: @unchecked Sendable {
    // Unchecked: the pointee lives as long as this object, and sem_t is made for many threads.
    private let raw: UnsafeMutablePointer<sem_t>

    package init() {
        unsafe raw = .allocate(capacity: 1)
        unsafe sem_init(raw, 0, 0)
    }

    deinit {
        unsafe sem_destroy(raw)
        unsafe raw.deallocate()
    }

    package func post() { unsafe sem_post(raw) }

    package func wait() { while unsafe sem_wait(raw) != 0 && errno == EINTR {} }

    /// Waits for a post, until `deadline` at most, in nanoseconds of CLOCK_MONOTONIC. Returns false
    /// if the deadline passed first.
    @discardableResult
    package func wait(until deadline: Int64) -> Bool {
        let (seconds, nanoseconds) = max(deadline, 0).quotientAndRemainder(
            dividingBy: 1_000_000_000)
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
        while unsafe sem_clockwait(raw, CLOCK_MONOTONIC, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
