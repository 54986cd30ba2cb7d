import CLinux
import Glibc

/// Why a call of the system has failed.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The system's words for it: `No space left on device`.
    var reason: String { unsafe String(cString: strerror(code)) }

    /// What the last call of this thread has left.
    static var last: SystemError { SystemError(code: errno) }
}

/// Seconds since 1970.
func secondsNow() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Nanoseconds of CLOCK_MONOTONIC.
func monotonicNow() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
